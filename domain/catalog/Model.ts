/** What the catalog says of a model. A request keeps the version it was submitted against. */
import { Schema } from "effect"
import { ModelEndpoint } from "../ModelEndpoint.ts"
import { Price } from "../Pricing.ts"
import { RetrySchedule } from "../RetrySchedule.ts"
import { Expression, ProviderBinding } from "./ProviderBinding.ts"

export const Category = Schema.Literals(["image", "video", "audio", "text", "utility"])
export type Category = typeof Category.Type

/** A JSON Schema (2020-12) document. */
export const JsonSchema = Schema.Record(Schema.String, Schema.Json)

/**
 * How many billable units a run has, as JSONata expressions that end in a number. Without them: one for `request`, what is
 * measured for `second` and `gpu_second`, at most the model's time limit.
 */
export const Metering = Schema.Struct({
  /** Of the input: units asked for. Without it only the run can tell. */
  quantity: Schema.optionalKey(Expression),
  /** Of the input: units at most, which are held. Without it `quantity` is. */
  maxQuantity: Schema.optionalKey(Expression),
  /** Of `{ input, output, seconds }`: units delivered. Without it, what was asked for. */
  delivered: Schema.optionalKey(Expression)
})
export type Metering = typeof Metering.Type

export const Model = Schema.Struct({
  endpoint: ModelEndpoint,
  /** Changes whenever anything else here does. */
  version: Schema.String,
  displayName: Schema.String,
  description: Schema.String,
  category: Category,
  tags: Schema.Array(Schema.String),
  /** Its place in the curated list of its category, from 1; not in it when not given. */
  recommended: Schema.optionalKey(Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 1_000_000 }))),
  /** Who can run it: the first that may, in this order. Their names differ. */
  providers: Schema.NonEmptyArray(ProviderBinding),
  inputSchema: JsonSchema,
  outputSchema: JsonSchema,
  /** Valid under `inputSchema` and runnable without internet. */
  exampleInput: Schema.Json,
  price: Price,
  metering: Schema.optionalKey(Metering),
  /** How long a run usually takes, in seconds. */
  expectedSeconds: Schema.Number,
  /** A run is stopped and counted as failed after this many seconds. */
  timeoutSeconds: Schema.Number,
  /** Runs at once, at most. */
  concurrency: Schema.Int,
  /** Requests waiting at once, at most; more are refused with 429. */
  maxQueued: Schema.optionalKey(Schema.Int),
  /** Where no provider can be reached, a request that has waited for so many seconds expires; `usualQueueTimeout` when not given. */
  queueTimeout: Schema.optionalKey(Schema.Number),
  /** Retries after transport errors, if not the usual ones. */
  retry: Schema.optionalKey(RetrySchedule)
})
export type Model = typeof Model.Type

/** A day, in seconds. */
export const usualQueueTimeout = 86_400
