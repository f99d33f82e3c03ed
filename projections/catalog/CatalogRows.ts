/** The rows of the catalog, for the service that keeps it in memory. */
import { Context, Effect, Layer, Schema } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import { ReadModels, rows } from "../ReadModels.ts"
import * as Queries from "./CatalogQueries.ts"

const ItemKind = Schema.Literals(["model", "wrapper", "collection", "gpu", "deployment-template"])
type ItemKind = typeof ItemKind.Type

const definition = Schema.fromJsonString(Schema.Json)

export const CatalogRow = Schema.Struct({
  kind: ItemKind,
  /** Endpoint, slug or id. */
  name: Schema.String,
  status: Schema.Literals(["active", "deprecated", "withdrawn"]),
  /** Of models and wrappers. */
  version: Schema.NullOr(Schema.String),
  /** As an event holds it, unchecked: a newer release may have written it. */
  definition,
  /** When it was published first, and when it changed last. Unix time in ms. */
  createdAt: Schema.Int,
  updatedAt: Schema.Int,
  /** The number of that change among all of the catalog, from 1. */
  changed: Schema.Int
})
export type CatalogRow = typeof CatalogRow.Type

export const VersionRow = Schema.Struct({ kind: Schema.Literals(["model", "wrapper"]), definition })
export type VersionRow = typeof VersionRow.Type

export class CatalogRows extends Context.Service<
  CatalogRows,
  {
    /**
     * What has changed after the change of that number, withdrawn items too, in the order of their last changes. When
     * nothing has, it is one step in an index.
     */
    changedAfter(change: number): Effect.Effect<ReadonlyArray<CatalogRow>, SqlError>
    /** A definition that was ever published; `null` when none was under that version. */
    version(options: {
      readonly endpoint: string
      readonly version: string
    }): Effect.Effect<VersionRow | null, SqlError>
  }
>()("inferlog/projections/CatalogRows") {
  static readonly layer = Layer.effect(
    CatalogRows,
    Effect.gen(function* () {
      const sql = yield* ReadModels
      return CatalogRows.of({
        changedAfter: Effect.fn("CatalogRows.changedAfter")((change) =>
          items(Queries.changedAfter(sql, change))
        ),
        version: Effect.fn("CatalogRows.version")((options) =>
          Effect.map(versions(Queries.version(sql, options)), ([row]) => row ?? null)
        )
      })
    })
  )
}

const items = rows(CatalogRow)
const versions = rows(VersionRow)
