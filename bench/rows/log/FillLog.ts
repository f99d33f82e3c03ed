/** Fills the log of a data directory with realistic requests. Arguments: directory, number of requests. */
import process from "node:process"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { Effect, Stream } from "effect"
import { EventStore } from "#streams/EventStore.ts"
import * as SqliteEventStore from "#streams/sqlite/SqliteEventStore.ts"
import * as RequestLives from "./RequestLives.ts"

/** Appends per transaction. */
const atOnce = 1_000

const [directory = "", requests] = process.argv.slice(2)

const fill = Effect.gen(function* () {
  const { append } = yield* EventStore
  yield* Stream.fromIterable(RequestLives.appends(Number(requests)), { chunkSize: atOnce }).pipe(
    Stream.chunks,
    Stream.runForEach(Effect.forEach(append, { concurrency: "unbounded", discard: true }))
  )
})

fill.pipe(Effect.provide(SqliteEventStore.layer(directory)), NodeRuntime.runMain)
