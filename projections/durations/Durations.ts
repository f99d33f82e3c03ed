/** Queries on how long runs took. */
import { Context, Effect, Layer, Schema } from "effect"
import type { SqlClient } from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import { ModelEndpoint } from "#domain/ModelEndpoint.ts"
import { ReadModels, rows } from "../ReadModels.ts"
import { dayOf } from "./DurationsProjection.ts"

/** Runs of a model that were so long (`Histogram`). */
export const ModelBucket = Schema.Struct({ model: ModelEndpoint, bucket: Schema.Int, runs: Schema.Int })
export type ModelBucket = typeof ModelBucket.Type

const buckets = rows(ModelBucket)

export const since = (sql: SqlClient, day: number) => sql`
  SELECT model, bucket, sum(runs) AS runs FROM durations_counts WHERE day >= ${day} GROUP BY model, bucket`

export class Durations extends Context.Service<
  Durations,
  {
    /** Runs that ended well on the day of `at` or later, Unix time in ms: at most two weeks of them are known. */
    readonly since: (at: number) => Effect.Effect<ReadonlyArray<ModelBucket>, SqlError>
  }
>()("inferlog/projections/Durations") {
  static readonly layer = Layer.effect(
    Durations,
    Effect.map(ReadModels, (sql) =>
      Durations.of({ since: Effect.fn("Durations.since")((at) => buckets(since(sql, dayOf(at)))) })
    )
  )
}
