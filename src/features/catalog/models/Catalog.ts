/** The models that can be run, with what submit and settlement need, compiled once. */
import { Context, type Effect, Schema } from "effect"
import type { Json } from "#domain/CanonicalJson.ts"
import type { Model } from "#domain/catalog/Model.ts"
import type { ModelEndpoint } from "#domain/ModelEndpoint.ts"
import type { Quantity } from "#domain/Money.ts"
import type { Violation } from "#domain/Outcome.ts"
import type { EvaluatorBusy } from "./expression/EvaluationFor.ts"

/** A breach of the input schema, in the form of the contract's validation issues. Values are never echoed. */
export interface InputIssue {
  /** From the body's root: property names and array indexes. */
  readonly path: ReadonlyArray<string | number>
  readonly message: string
  /** The JSON Schema keyword that was broken (`required`, `type`, …). */
  readonly code: string
}

/** Billable units of one run. */
export interface Quantities {
  /** The requested units; `null` if only the run can tell. */
  readonly quantity: Quantity | null
  /** The most units, which are held. */
  readonly maxQuantity: Quantity
}

/** The input of an expression that counts billed units. */
export interface RunResult {
  /** As submitted. */
  readonly input: Json
  readonly output: Json
  /** At the provider. */
  readonly seconds: number
}

/** An expression cannot compute the units: it fails, or its result is not a number from 0. */
export class Unmeasurable extends Schema.TaggedError<Unmeasurable>()("Unmeasurable", {
  /** The expression and the reason, without parts of the input. */
  reason: Schema.String
}) {
  override get message(): string {
    return this.reason
  }
}

/** This node does not know the model yet, or cannot read its definition. Refuse without a charge; a retry may work. */
export class NotKnownHere extends Schema.TaggedError<NotKnownHere>()("NotKnownHere", {
  endpoint: Schema.String
}) {
  override get message(): string {
    return `This node cannot tell what ${this.endpoint} is, or was.`
  }
}

export interface CatalogEntry {
  /** For a wrapper: its base model, under the wrapper's endpoint, version, texts, example and input schema. */
  readonly model: Model
  /** The model that runs: itself, or the base of a wrapper. Limits on runs count for it. */
  readonly runs: ModelEndpoint
  /** Every breach, at most 1,000. For a wrapper also breaches of the base model's schema. */
  validateInput(input: Json): ReadonlyArray<InputIssue>
  /** Every breach, at most 1,000. An output with more than 100 files is invalid. */
  validateOutput(output: Json): ReadonlyArray<Violation>
  /** JSON pointers (RFC 6901) to the URLs of files in a valid output, at most 100. */
  mediaPointers(output: Json): ReadonlyArray<string>
  /** For a valid input. */
  quantities(input: Json): Effect.Effect<Quantities, Unmeasurable | EvaluatorBusy>
  /** The input of the model that runs: the same, or what the wrapper's template makes of it. */
  runInput(input: Json): Json
  /** Units of a valid output, if the provider has not counted them. At most `maxQuantity` are billed. */
  delivered(result: RunResult): Effect.Effect<Quantity, Unmeasurable>
  /** Whether the price counts what a run delivers, so that a part of an output has a price of its own. */
  readonly countsDelivered: boolean
}

export class Catalog extends Context.Service<
  Catalog,
  {
    /** The current version of every model. The same list until the catalog changes. */
    readonly all: Effect.Effect<ReadonlyArray<CatalogEntry>>
    /** The current version of a model; `null` if there is none. An `Exit` for a model in memory. */
    find(endpoint: string): Effect.Effect<CatalogEntry | null>
    /** The current version of a model, or the last before its withdrawal; `null` if unknown. Reads only memory. */
    lastOffered(endpoint: string): Effect.Effect<CatalogEntry | null, NotKnownHere>
    /** The version that a request was submitted against, or else `lastOffered`. Waits at most 2 s for the log. */
    findVersion(endpoint: string, version: string): Effect.Effect<CatalogEntry | null, NotKnownHere>
  }
>()("inferlog/src/features/catalog/models/Catalog") {}
