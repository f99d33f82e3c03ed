/** How much work each model has: requests that wait for a run, and runs that nodes have claimed. */
import { Effect, Schema } from "effect"
import type { SqlClient } from "effect/sql/SqlClient"
import { ModelEndpoint } from "#domain/ModelEndpoint.ts"
import { ReadModels, rows } from "../ReadModels.ts"

const Demand = Schema.Struct({
  model: ModelEndpoint,
  /** The number of requests that wait for a run, due or not. */
  queued: Schema.Int,
  /** The number of runs under way on all nodes. */
  running: Schema.Int
})

const decoded = rows(Demand)

/** The most runs that are counted, because each costs a look at its row. */
const mostRuns = 100_000

export const statement = (sql: SqlClient, limit: number) => sql`
  SELECT model, sum(queued) AS queued, sum(running) AS running FROM (
    SELECT model, queued, 0 AS running FROM duework_depth
    UNION ALL
    SELECT model, 0, count(*) FROM (
      SELECT model FROM duework_requests INDEXED BY duework_claimed WHERE phase = 'claimed' LIMIT ${limit}
    ) GROUP BY model
  ) GROUP BY model`

/** For every model that ever had a request, wrappers by themselves. Of more than 100,000 runs the rest is not counted. */
export const make = Effect.map(ReadModels, (sql) => decoded(statement(sql, mostRuns)))
