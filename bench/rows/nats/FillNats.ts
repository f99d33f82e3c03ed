/** Fills a log on NATS with realistic requests and their payload records. Arguments: its address, number of requests. */
import process from "node:process"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { Effect, Stream } from "effect"
import { type Append, EventStore } from "#streams/EventStore.ts"
import * as ExpectedVersion from "#streams/ExpectedVersion.ts"
import * as JetStreamEventStore from "#streams/nats/JetStreamEventStore.ts"
import * as RequestLives from "../log/RequestLives.ts"
import * as TemporaryDirectory from "../log/TemporaryDirectory.ts"
import * as LogAddress from "./LogAddress.ts"

/** Number of appends that are prepared together, and of streams that are appended to concurrently. */
const atOnce = 1_000
const streamsAtOnce = 128

const [address = "", requests] = process.argv.slice(2)

const fill = Effect.gen(function* () {
  const store = yield* EventStore
  // The NATS server assigns versions, so the appends of a stream are sent one by one.
  const append = (append: Append) => store.append({ ...append, expected: ExpectedVersion.Any })
  const inOrder = (appends: ReadonlyArray<Append>) => Effect.forEach(appends, append, { discard: true })
  yield* Stream.fromIterable(RequestLives.appends(Number(requests)), { chunkSize: atOnce }).pipe(
    Stream.chunks,
    Stream.runForEach((appends) =>
      Effect.forEach(Map.groupBy(appends, ({ stream }) => stream).values(), inOrder, {
        concurrency: streamsAtOnce,
        discard: true
      })
    )
  )
})

fill.pipe(
  Effect.provide(
    JetStreamEventStore.layer({ nats: LogAddress.parse(address), directory: TemporaryDirectory.make() })
  ),
  NodeRuntime.runMain
)
