/** T20: an output as it is made, from an upstream that types it to its reader, compared with a plain proxy. */
import { Effect, type Scope } from "effect"
import * as Floor from "../../floors/Floor.ts"
import type { HttpServer } from "../../harness/HttpSubject.ts"
import * as Metering from "../../harness/Metering.ts"
import * as Program from "../../harness/Program.ts"
import * as ResidentMemory from "../../harness/ResidentMemory.ts"
import type { BenchFailed, Measurement, Row, Subject } from "../../harness/Subject.ts"
import * as Inferlog from "../../subjects/Inferlog.ts"
import * as OutputReading from "../../subjects/output/OutputReading.ts"

type Order = (typeof OutputReading.Order.Type)["_tag"]

interface Server extends Pick<Subject, "name" | "role"> {
  readonly headers: Readonly<Record<string, string>>
  readonly serve: (upstream: number) => Effect.Effect<HttpServer, BenchFailed, Scope.Scope>
}

const ours: Server = {
  name: "inferlog",
  role: "ours",
  headers: { ...Inferlog.authorization, accept: "text/event-stream", "cancel-on-disconnect": "true" },
  serve: (upstream) =>
    Inferlog.serve(["bench/subjects/output/OutputServer.ts"], { UPSTREAM_PORT: String(upstream) })
}

const proxy = "a plain proxy"

const floor: Server = {
  name: proxy,
  role: "floor",
  headers: {},
  serve: (upstream) => Floor.serve(proxy, ["bench/floors/output/ProxyFloor.ts", String(upstream)])
}

/** The outputs themselves grow all the time. The first seconds are those in which the streams are opened. */
const notesOf = (samples: ReadonlyArray<number>) => {
  const third = Math.ceil(samples.length / 3)
  return {
    "resident memory in the second third, MiB": ResidentMemory.mean(samples.slice(third, 2 * third)),
    "resident memory in the last third, MiB": ResidentMemory.mean(samples.slice(2 * third))
  }
}

const subject = ({ headers, name, role, serve }: Server, what: object, tag: Order): Subject => ({
  name,
  role,
  start: Effect.gen(function* () {
    const upstream = yield* Floor.serve("the upstream", ["bench/subjects/output/Typist.ts"])
    const { pids, port } = yield* serve(upstream.port)
    const reader = yield* Program.start({
      name: "the readers",
      args: ["bench/subjects/output/OutputReader.ts"],
      end: "stdin"
    })
    const measure = Effect.fnUntraced(function* (seconds: number) {
      const read = Effect.andThen(
        reader.send({ _tag: tag, port, path: "/bench/typist", headers, seconds, ...what }),
        Program.document(reader, OutputReading.Counted)
      )
      // What is left to do is no chunk's cost.
      const metered = Metering.meter(pids, read, Effect.void)
      const { samples, value } = yield* ResidentMemory.during(pids, metered)
      return { ...value, notes: notesOf(samples) } satisfies Measurement
    })
    yield* measure(2)
    return { measure }
  })
})

/** Chunks a second of each stream: 50. */
const everyMs = 20

const manyOf = (streams: number): Row => ({
  id: "T20",
  title: `${streams} outputs of 50 chunks a second`,
  unit: "chunks",
  subjects: [ours, floor].map((server) => subject(server, { streams, everyMs }, "Many")),
  targets: { [proxy]: 0.6 }
})

const first: Row = {
  id: "T20",
  title: "First chunk of an output",
  unit: "outputs",
  subjects: [ours, floor].map((server) => subject(server, {}, "First")),
  targets: {}
}

export const rows: ReadonlyArray<Row> = [first, manyOf(100), manyOf(1_000)]
