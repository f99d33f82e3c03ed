/** The models that can be run, with what submit and settlement need of them, compiled once. */
import { Context, type Effect } from "effect"
import type { Json } from "#domain/CanonicalJson.ts"
import type { Model } from "#domain/Model.ts"
import type { Quantity } from "#domain/Money.ts"
import type { Violation } from "#domain/Outcome.ts"

/** One breach of the input schema, shaped as the contract's validation issues. Values are never echoed. */
export interface InputIssue {
  /** From the body's root: property names and array indexes. */
  readonly path: ReadonlyArray<string | number>
  readonly message: string
  /** The JSON Schema keyword that was broken (`required`, `type`, …). */
  readonly code: string
}

export interface CatalogEntry {
  readonly model: Model
  /** Every breach, at most 1,000; none for a valid input. */
  validateInput(input: Json): ReadonlyArray<InputIssue>
  /** Every breach, at most 1,000; none for a valid output. One that names more than 100 files is not valid. */
  validateOutput(output: Json): ReadonlyArray<Violation>
  /** JSON pointers (RFC 6901) of the URLs of files in a valid output, each once: at most 100. */
  mediaPlaces(output: Json): ReadonlyArray<string>
  /** Billable units of a valid input: asked for (`null` when only the run can tell), and at most. */
  quantities(input: Json): { readonly quantity: Quantity | null; readonly maxQuantity: Quantity }
}

export class Catalog extends Context.Service<
  Catalog,
  {
    /** The current version of every model. */
    readonly all: Effect.Effect<ReadonlyArray<CatalogEntry>>
    /** The current version of a model; `null` when there is none of that name. */
    find(endpoint: string): Effect.Effect<CatalogEntry | null>
    /** The version a request was submitted against; the current one when that is gone. */
    findVersion(endpoint: string, version: string): Effect.Effect<CatalogEntry | null>
  }
>()("inferlog/src/models/Catalog") {}
