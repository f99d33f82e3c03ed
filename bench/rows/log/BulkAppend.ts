/** Our subject in T5: sends all appends of a batch to `EventStore.append` at once, and the next batch when they are durable. */
import { Effect, ManagedRuntime } from "effect"
import { EventStore } from "#streams/EventStore.ts"
import * as SqliteEventStore from "#streams/sqlite/SqliteEventStore.ts"
import * as BulkLoad from "./BulkLoad.ts"

const runtime = ManagedRuntime.make(SqliteEventStore.layer(BulkLoad.directory()))
const store = await runtime.runPromise(EventStore)

BulkLoad.serve((batch) =>
  runtime.runPromise(Effect.forEach(batch, store.append, { concurrency: "unbounded", discard: true }))
)
