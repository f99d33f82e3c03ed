/** The rows of the catalog, for the service that loads them into memory. */
import { Context, Effect, Layer, Schema, SchemaGetter } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import * as JsonText from "#domain/JsonText.ts"
import { ReadModels, rows } from "../ReadModels.ts"
import * as Queries from "./CatalogQueries.ts"

const ItemKind = Schema.Literals(["model", "wrapper", "collection", "gpu", "deployment-template"])
type ItemKind = typeof ItemKind.Type

/** Remembers its text. */
const definition = Schema.String.pipe(
  Schema.decodeTo(Schema.Json, {
    decode: SchemaGetter.transform(JsonText.parse),
    encode: SchemaGetter.transform(JsonText.write)
  })
)

export const CatalogRow = Schema.Struct({
  kind: ItemKind,
  /** Endpoint, slug or id. */
  name: Schema.String,
  status: Schema.Literals(["active", "deprecated", "withdrawn"]),
  /** Only models and wrappers have one. */
  version: Schema.NullOr(Schema.String),
  /** As in the event, unchecked, because a newer release may have written it. */
  definition,
  /** When it was first published and last changed. Unix time in ms. */
  createdAt: Schema.Int,
  updatedAt: Schema.Int,
  /** The number of its last change among all changes of the catalog, from 1. */
  changed: Schema.Int
})
export type CatalogRow = typeof CatalogRow.Type

export const VersionRow = Schema.Struct({ kind: Schema.Literals(["model", "wrapper"]), definition })
export type VersionRow = typeof VersionRow.Type

export class CatalogRows extends Context.Service<
  CatalogRows,
  {
    /**
     * The items, including withdrawn ones, that changed after the given change, in the order of their last changes. When
     * nothing changed, this is one step in an index.
     */
    changedAfter(change: number): Effect.Effect<ReadonlyArray<CatalogRow>, SqlError>
    /** A published definition, current or not. `null` when the version is unknown. */
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
