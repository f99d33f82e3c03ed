/** T7: status changes sent to many streams, from the submit until the last reader has its event. */
import { Effect, type Scope } from "effect"
import * as Floor from "../../floors/Floor.ts"
import { defaultWarmUpSeconds, type HttpServer } from "../../harness/HttpSubject.ts"
import * as Metering from "../../harness/Metering.ts"
import type { BenchFailed, Row, Subject } from "../../harness/Subject.ts"
import * as Inferlog from "../../subjects/Inferlog.ts"
import * as StreamReaders from "../../subjects/streams/StreamReaders.ts"

interface Options {
  readonly streams: number
  /** Number of concurrent changes. */
  readonly burst: number
  readonly warmUpSeconds?: number
}

interface Server extends Pick<Subject, "name" | "role"> {
  readonly serve: Effect.Effect<HttpServer, BenchFailed, Scope.Scope>
}

/** A submit to the model that is never run. */
const post = { path: "/bench/queued", body: JSON.stringify({ prompt: "A lighthouse at dusk" }) }

const subject = (
  { burst, streams, warmUpSeconds = defaultWarmUpSeconds }: Options,
  { name, role, serve }: Server
): Subject => ({
  name,
  role,
  start: Effect.gen(function* () {
    const { pids, port } = yield* serve
    const readers = yield* StreamReaders.start
    yield* readers.open({ port, path: "/requests/stream", headers: Inferlog.authorization, streams })
    const measure = (seconds: number) => Metering.meter(pids, readers.measure({ ...post, burst, seconds }))
    yield* measure(warmUpSeconds)
    return { measure }
  })
})

const ours = (options: Options) =>
  subject(options, {
    name: "inferlog",
    role: "ours",
    serve: Inferlog.serve(["bench/subjects/InferlogServer.ts"])
  })

const writes = {
  name: "one res.write per frame",
  program: "bench/floors/streams/FrameFloor.ts"
} as const

const floor = (options: Options) =>
  subject(options, {
    name: writes.name,
    role: "floor",
    serve: Floor.serve(writes.name, [writes.program])
  })

const rowOf = (options: Options, title: string, target: number): Row => ({
  id: "T7",
  title,
  unit: "events",
  subjects: [ours(options), floor(options)],
  targets: { [writes.name]: target }
})

const burst = 20

export const rows: ReadonlyArray<Row> = [1_000, 5_000].flatMap((streams) => [
  rowOf({ streams, burst: 1 }, `Events to ${streams} streams, one at a time`, 0.8),
  rowOf({ streams, burst }, `Events to ${streams} streams, ${burst} at once`, 2)
])
