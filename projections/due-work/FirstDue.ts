/** When the first request of each queue is due, or was. */
import { Effect, Schema } from "effect"
import type { SqlClient } from "effect/sql/SqlClient"
import { ModelEndpoint } from "#domain/ModelEndpoint.ts"
import { ReadModels, rows } from "../ReadModels.ts"

const Queue = Schema.Struct({
  model: ModelEndpoint,
  /** The number of requests that wait for a run, due or not. */
  queued: Schema.Int,
  /** When the first of them is due, or became due, Unix time in ms. */
  firstDueAt: Schema.NullOr(Schema.Int)
})

const decoded = rows(Queue)

/** One index step per model, whatever the length of the queue. */
export const statement = (sql: SqlClient) => sql`
  SELECT model, queued, (
    SELECT min(due_at) FROM duework_requests INDEXED BY duework_by_due
    WHERE model = duework_depth.model AND phase = 'queued'
  ) AS "firstDueAt" FROM duework_depth WHERE queued > 0`

/** The queues with requests, wrappers by themselves. */
export const make = Effect.map(ReadModels, (sql) => decoded(statement(sql)))
