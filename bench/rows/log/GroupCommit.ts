/** Our subject in T9: concurrent appenders at an `EventStore` with group commit. Each waits for its own append. */
import { Array, Effect, ManagedRuntime } from "effect"
import { EventStore } from "#streams/EventStore.ts"
import * as SqliteEventStore from "#streams/sqlite/SqliteEventStore.ts"
import * as BulkLoad from "./BulkLoad.ts"
import * as Commits from "./Commits.ts"

/** The same number as the connections of the submit rows. */
const appenders = 32

const runtime = ManagedRuntime.make(SqliteEventStore.layer(BulkLoad.directory()))
const store = await runtime.runPromise(EventStore)

Commits.serve(({ isOver, next }) => {
  const one = Effect.suspend(() => store.append(next()))
  const appender = Effect.repeat(one, { until: isOver })
  return runtime.runPromise(
    Effect.all(
      Array.makeBy(appenders, () => appender),
      { concurrency: "unbounded", discard: true }
    )
  )
})
