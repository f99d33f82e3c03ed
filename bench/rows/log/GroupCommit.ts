/** Ours in T9: appenders that wait, each for its own append, at an `EventStore` that commits what comes in together. */
import { Array, Effect, ManagedRuntime } from "effect"
import { EventStore } from "#streams/EventStore.ts"
import * as SqliteEventStore from "#streams/sqlite/SqliteEventStore.ts"
import * as BulkLoad from "./BulkLoad.ts"
import * as Commits from "./Commits.ts"

/** As connections of the submit rows. */
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
