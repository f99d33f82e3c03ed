/** T14: the cost of a thousand assistants that wait for requests, each in an open call. */
import { once } from "node:events"
import * as http from "node:http"
import { Duration, Effect } from "effect"
import * as Metering from "../../harness/Metering.ts"
import * as Program from "../../harness/Program.ts"
import * as ProcessTree from "../../harness/ProcessTree.ts"
import * as ScratchDirectory from "../../harness/ScratchDirectory.ts"
import { BenchFailed, type Measurement, type Row } from "../../harness/Subject.ts"
import * as Inferlog from "../../subjects/Inferlog.ts"
import * as Assistant from "../../subjects/mcp/Assistant.ts"
import * as Scales from "../../subjects/Scales.ts"

const calls = 1_000
/** MiB that the calls and their requests may add to the process, including all threads. */
const most = 300
const mebibyte = 1024 * 1024

/** Reduces log lines, because stdout carries the answers. */
const quiet = { LOG_LEVEL: "Warn" }

const submit = async ({ url }: Inferlog.Inferlog): Promise<string> => {
  const headers = { ...Inferlog.authorization, "content-type": "application/json" }
  const answer = await fetch(`${url}/bench/queued`, { method: "POST", headers, body: '{"prompt":"A lake"}' })
  return String(Object(await answer.json()).request_id)
}

/** Resolves when the answer begins: the server sends its head at once. */
const wait = async ({ port }: Inferlog.Inferlog, { headers }: Assistant.Assistant, requestId: string) => {
  const request = http.request({ port, path: "/mcp", method: "POST", headers, agent: false })
  request.end(Assistant.callOf("wait_for_request", { requestId, timeoutSeconds: 600 }))
  const [response] = await once(request, "response")
  if (response.statusCode !== 200) throw new Error(`expected 200, got ${response.statusCode}`)
  await once(response, "data")
  return request
}

const weightOf = (server: Inferlog.Inferlog) =>
  Effect.andThen(
    Metering.settle(server.pids),
    Effect.andThen(server.program.send(null), Program.document(server.program, Scales.Weight))
  )

/** The calls of one assistant wait for different requests. */
const waiting = (server: Inferlog.Inferlog) =>
  Effect.flatMap(Assistant.make(server), (assistant) =>
    Effect.acquireRelease(
      Effect.forEach(
        Array.from({ length: calls }),
        () =>
          Effect.tryPromise({
            try: async () => wait(server, assistant, await submit(server)),
            catch: (cause) => new BenchFailed({ reason: `a call did not wait: ${String(cause)}` })
          }),
        { concurrency: "unbounded" }
      ),
      (requests) => Effect.sync(() => requests.forEach((request) => request.destroy()))
    )
  )

const measure = Effect.gen(function* () {
  const directory = yield* ScratchDirectory.make
  const server = yield* Inferlog.serveIn(directory, ["bench/subjects/mcp/ToolServer.ts"], quiet)
  const before = yield* weightOf(server)
  const cpuMs = ProcessTree.cpuMs(server.pids)
  const [elapsed] = yield* Effect.timed(waiting(server))
  const { resident } = yield* weightOf(server)
  const growth = resident - before.resident
  if (growth > most * mebibyte) {
    const reason = `${Math.round(growth / mebibyte)} MiB for ${calls} waiting calls, more than ${most}`
    return yield* new BenchFailed({ reason })
  }
  const measurement: Measurement = {
    operations: calls,
    elapsedMs: Duration.toMillis(elapsed),
    cpuMs: ProcessTree.cpuMs(server.pids) - cpuMs,
    peakRssBytes: ProcessTree.peakRssBytes(server.pids),
    notes: {
      "MiB for all of them": growth / mebibyte,
      "MiB of the process without them": before.resident / mebibyte,
      "KB for each": growth / calls / 1_000
    }
  }
  return measurement
}).pipe(Effect.scoped)

export const row: Row = {
  id: "T14",
  title: `${calls} wait_for_request at once`,
  unit: "calls",
  subjects: [{ name: "inferlog", role: "ours", start: Effect.succeed({ measure: () => measure }) }],
  targets: {}
}
