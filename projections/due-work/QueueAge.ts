/** The length and age of the queue of each model. */
import { Effect, Schema } from "effect"
import type { SqlClient } from "effect/sql/SqlClient"
import { ModelEndpoint } from "#domain/ModelEndpoint.ts"
import { ReadModels, rows } from "../ReadModels.ts"

const Queue = Schema.Struct({
  model: ModelEndpoint,
  /** The number of requests that wait for a run, due or not. */
  queued: Schema.Int,
  /** When the longest due request became due, Unix time in ms. `null` when none is due. */
  oldestDueAt: Schema.NullOr(Schema.Int)
})

const decoded = rows(Queue)

/** One index step per model, whatever the length of the queue. */
export const statement = (sql: SqlClient, now: number) => sql`
  SELECT model, queued, (
    SELECT min(due_at) FROM duework_requests INDEXED BY duework_by_due
    WHERE model = duework_depth.model AND phase = 'queued' AND due_at <= ${now}
  ) AS "oldestDueAt" FROM duework_depth`

/** The queues of all models that ever had one. `now` is Unix time in ms. */
export const make = Effect.map(ReadModels, (sql) => (now: number) => decoded(statement(sql, now)))
