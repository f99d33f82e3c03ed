/** The models that can be run, with what submit and settlement need of them, compiled once. */
import { Context, type Effect, Schema } from "effect"
import type { Json } from "#domain/CanonicalJson.ts"
import type { Model } from "#domain/catalog/Model.ts"
import type { ModelEndpoint } from "#domain/ModelEndpoint.ts"
import type { Quantity } from "#domain/Money.ts"
import type { Violation } from "#domain/Outcome.ts"
import type { EvaluatorBusy } from "./expression/EvaluationFor.ts"

/** One breach of the input schema, shaped as the contract's validation issues. Values are never echoed. */
export interface InputIssue {
  /** From the body's root: property names and array indexes. */
  readonly path: ReadonlyArray<string | number>
  readonly message: string
  /** The JSON Schema keyword that was broken (`required`, `type`, …). */
  readonly code: string
}

/** Billable units of one run. */
export interface Quantities {
  /** Asked for; `null` when only the run can tell. */
  readonly quantity: Quantity | null
  /** At most: this much is held. */
  readonly maxQuantity: Quantity
}

/** What a run has come to, for the units that it is billed for. */
export interface RunResult {
  /** As it was submitted. */
  readonly input: Json
  readonly output: Json
  /** Of the provider's work. */
  readonly seconds: number
}

/** An expression of the manifest cannot tell the units: it fails, or ends in what is no number from 0. */
export class Unmeasurable extends Schema.TaggedError<Unmeasurable>()("Unmeasurable", {
  /** Which one, and why. Nothing of the input. */
  reason: Schema.String
}) {
  override get message(): string {
    return this.reason
  }
}

/**
 * What this node cannot tell of a model: its catalog is behind the log, or this release cannot read the definition. Another
 * node may, or this one later: nothing may be refused or charged for it.
 */
export class NotKnownHere extends Schema.TaggedError<NotKnownHere>()("NotKnownHere", {
  endpoint: Schema.String
}) {
  override get message(): string {
    return `This node cannot tell what ${this.endpoint} is, or was.`
  }
}

export interface CatalogEntry {
  /** For a wrapper: its base model, under the wrapper's endpoint, version, words, example and input schema. */
  readonly model: Model
  /** The model that runs: itself, or what it wraps. Limits on runs count under this. */
  readonly runs: ModelEndpoint
  /** Every breach, at most 1,000; none for a valid input. Of a wrapper's also where the base model's would be broken. */
  validateInput(input: Json): ReadonlyArray<InputIssue>
  /** Every breach, at most 1,000; none for a valid output. One that names more than 100 files is not valid. */
  validateOutput(output: Json): ReadonlyArray<Violation>
  /** JSON pointers (RFC 6901) of the URLs of files in a valid output, each once: at most 100. */
  mediaPlaces(output: Json): ReadonlyArray<string>
  /** Of a valid input. */
  quantities(input: Json): Effect.Effect<Quantities, Unmeasurable | EvaluatorBusy>
  /** What the model that runs is given for a valid input: itself, or what the wrapper's template makes of it. */
  runInput(input: Json): Json
  /** Units of a valid output whose provider has not counted them. At most `maxQuantity` of them are billed. */
  delivered(result: RunResult): Effect.Effect<Quantity, Unmeasurable>
}

export class Catalog extends Context.Service<
  Catalog,
  {
    /** The current version of every model. The same list until the catalog changes. */
    readonly all: Effect.Effect<ReadonlyArray<CatalogEntry>>
    /** The current version of a model; `null` when there is none of that name. */
    find(endpoint: string): Effect.Effect<CatalogEntry | null>
    /**
     * The current version of a model, or the last one before it was withdrawn; `null` when none was ever offered. Known at
     * once, of what is in memory.
     */
    lastOffered(endpoint: string): Effect.Effect<CatalogEntry | null, NotKnownHere>
    /**
     * The version a request was submitted against. When the log has none of that name it is `lastOffered`; it waits 2 s at
     * most until this node knows what the log has.
     */
    findVersion(endpoint: string, version: string): Effect.Effect<CatalogEntry | null, NotKnownHere>
  }
>()("inferlog/src/features/catalog/models/Catalog") {}
