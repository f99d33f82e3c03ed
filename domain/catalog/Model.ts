/** The definition of a model in the catalog. A request records the version that it was submitted against. */
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
 * How to count the billing units of a run: JSONata expressions that return a number. Without an expression, `request` counts
 * one; `second` and `gpu_second` count the measured time, and hold at most the model's time limit.
 */
export const Metering = Schema.Struct({
  /** Evaluated on the input: requested units. Without it, only the run can tell. */
  quantity: Schema.optionalKey(Expression),
  /** Evaluated on the input: the most units, which are held. Defaults to `quantity`. */
  maxQuantity: Schema.optionalKey(Expression),
  /** Evaluated on `{ input, output, seconds }`: delivered units. Defaults to the requested units. */
  delivered: Schema.optionalKey(Expression)
})
export type Metering = typeof Metering.Type

/**
 * How the chunks that a run reports add up to its output: `text`, strings that are joined; `items`, the items of a list; `last`,
 * each replaces the one before; `openai`, chunks of OpenAI's API, which add up to the completion.
 */
export const StreamKind = Schema.Literals(["text", "items", "last", "openai"])
export type StreamKind = typeof StreamKind.Type

/** A family of calls of OpenAI's API, `/v1`. */
export const OpenaiCall = Schema.Literals([
  "chat",
  "completions",
  "responses",
  "embeddings",
  "images",
  "transcriptions",
  "speech"
])
export type OpenaiCall = typeof OpenaiCall.Type

export const Model = Schema.Struct({
  endpoint: ModelEndpoint,
  /** Changes when any other field changes. */
  version: Schema.String,
  displayName: Schema.String,
  description: Schema.String,
  category: Category,
  tags: Schema.Array(Schema.String),
  /** Position in the curated list of its category, from 1. Absent: not in the list. */
  recommended: Schema.optionalKey(Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 1_000_000 }))),
  /** The providers that can run it, in order of preference. Their names differ. */
  providers: Schema.NonEmptyArray(ProviderBinding),
  inputSchema: JsonSchema,
  outputSchema: JsonSchema,
  /** Valid against `inputSchema`, and runs without internet access. */
  exampleInput: Schema.Json,
  price: Price,
  metering: Schema.optionalKey(Metering),
  /** How long a run usually takes, in seconds. */
  expectedSeconds: Schema.Number,
  /** A run is stopped after this many seconds and counts as failed. */
  timeoutSeconds: Schema.Number,
  /** The most runs at once. */
  concurrency: Schema.Int,
  /** The most waiting requests. Further ones get 429. */
  maxQueued: Schema.optionalKey(Schema.Int),
  /** Seconds after which a waiting request expires when no provider can be reached. Defaults to `defaultQueueTimeout`. */
  queueTimeout: Schema.optionalKey(Schema.Number),
  /** Retries after transport errors. Defaults to `RetrySchedule.transportErrors`. */
  retry: Schema.optionalKey(RetrySchedule),
  /** Absent: the output is shown when the run has ended. */
  output: Schema.optionalKey(Schema.Struct({ stream: StreamKind })),
  /** The calls of OpenAI's API that it answers. Its input is then the body of the call, and its output the answer. */
  serves: Schema.optionalKey(Schema.Array(OpenaiCall))
})
export type Model = typeof Model.Type

/** A day, in seconds. */
export const defaultQueueTimeout = 86_400
