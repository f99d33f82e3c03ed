/** Queries on the durations of runs. */
import { Context, Effect, Layer, Schema } from "effect"
import type { SqlClient } from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import { ReadModels, rows } from "../ReadModels.ts"
import { dayOf } from "./DurationsProjection.ts"

/** The durations of a group's runs, as buckets of `Histogram`. */
export const DurationStats = Schema.Struct({
  group: Schema.String,
  runs: Schema.Int,
  /** The buckets of the median and of the 90th percentile. */
  median: Schema.Int,
  p90: Schema.Int
})
export type DurationStats = typeof DurationStats.Type

/** Assigns the runs of a model to a group. */
export type Grouped = readonly [group: string, model: string]

/** One index step per day and model. Returns one row per group with runs. */
const statement = (
  sql: SqlClient,
  options: { readonly day: number; readonly models: ReadonlyArray<Grouped> }
) => sql`
  WITH RECURSIVE days (day) AS (
    SELECT min(day) FROM durations_counts WHERE day >= ${options.day}
    UNION ALL
    SELECT (SELECT min(day) FROM durations_counts WHERE day > days.day) FROM days WHERE day IS NOT NULL
  ), buckets AS (
    SELECT grouped.value ->> 0 AS name, counts.bucket, sum(counts.runs) AS runs
    FROM json_each(${JSON.stringify(options.models)}) AS grouped CROSS JOIN days
      CROSS JOIN durations_counts AS counts ON counts.day = days.day AND counts.model = grouped.value ->> 1
    GROUP BY name, counts.bucket
  ), ranked AS (
    SELECT name, bucket, sum(runs) OVER (PARTITION BY name ORDER BY bucket) AS seen,
      sum(runs) OVER (PARTITION BY name) AS runs
    FROM buckets
  )
  SELECT name AS "group", runs, min(CASE WHEN seen * 2 >= runs THEN bucket END) AS median,
    min(CASE WHEN seen * 10 >= runs * 9 THEN bucket END) AS p90
  FROM ranked GROUP BY name, runs`

const decoded = rows(DurationStats)

export class Durations extends Context.Service<
  Durations,
  {
    /**
     * Statistics of the successful runs of these models since the day of `at` (Unix time in ms). At most two weeks are
     * stored. Groups without runs are left out.
     */
    since(at: number, models: ReadonlyArray<Grouped>): Effect.Effect<ReadonlyArray<DurationStats>, SqlError>
  }
>()("inferlog/projections/Durations") {
  static readonly layer = Layer.effect(
    Durations,
    Effect.map(ReadModels, (sql) =>
      Durations.of({
        since: Effect.fn("Durations.since")((at, models) =>
          decoded(statement(sql, { day: dayOf(at), models }))
        )
      })
    )
  )
}
