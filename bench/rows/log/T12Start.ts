/** T12: time from process start to the first answer, with a log of ten million events and requests to continue. */
import process from "node:process"
import { Effect } from "effect"
import * as ProcessTree from "../../harness/ProcessTree.ts"
import { BenchFailed, type Measurement, type Row } from "../../harness/Subject.ts"
import * as Inferlog from "../../subjects/Inferlog.ts"
import * as Starting from "../../subjects/Starting.ts"
import * as PreparedDirectory from "./PreparedDirectory.ts"

type End = "SIGTERM" | "SIGKILL"

/** Requests that are running when the server ends. */
const underWay = 32

const attempt = <A>(run: () => Promise<A>) =>
  Effect.tryPromise({
    try: run,
    catch: (cause) => new BenchFailed({ reason: `the server does not answer: ${String(cause)}` })
  })

const submit = (url: string) =>
  attempt(() =>
    fetch(`${url}/sandbox/slow`, {
      method: "POST",
      headers: { ...Inferlog.authorization, "content-type": "application/json" },
      body: '{"seconds":1}'
    }).then((answer) => answer.arrayBuffer())
  )

/** Starts a server, gives it work and ends it. */
const startAndEnd = Effect.fnUntraced(function* (directory: string, end: End) {
  const { elapsedMs, server } = yield* Starting.timed(Inferlog.serveIn(directory))
  const { pids, url } = server
  const measurement: Measurement = {
    operations: 1,
    elapsedMs,
    cpuMs: ProcessTree.cpuMs(pids),
    peakRssBytes: ProcessTree.peakRssBytes(pids)
  }
  yield* Effect.forEach(Array.from({ length: underWay }), () => submit(url), { concurrency: underWay })
  if (end === "SIGKILL") for (const pid of pids) process.kill(pid, "SIGKILL")
  return measurement
}, Effect.scoped)

const rowAfter = (end: End, how: string): Row => ({
  id: "T12",
  title: `Start with 10 M events, after ${how}`,
  unit: "starts",
  subjects: [
    {
      name: "inferlog",
      role: "ours",
      start: Effect.gen(function* () {
        const directory = yield* PreparedDirectory.prepared
        const measure = () => startAndEnd(directory, end)
        yield* measure()
        return { measure }
      })
    }
  ],
  targets: {},
  limits: { operationMs: 2_000 }
})

export const rows: ReadonlyArray<Row> = [
  rowAfter("SIGTERM", "an orderly end"),
  rowAfter("SIGKILL", "kill -9")
]
