/** What the catalog says of a model. A request keeps the version it was submitted against. */
import { Schema } from "effect"
import { ModelEndpoint } from "./ModelEndpoint.ts"
import { Price } from "./Pricing.ts"
import { RetrySchedule } from "./RetrySchedule.ts"

const Category = Schema.Literals(["image", "video", "audio", "text", "utility"])

/** A JSON Schema (2020-12) document. */
export const JsonSchema = Schema.Record(Schema.String, Schema.Json)

export const Model = Schema.Struct({
  endpoint: ModelEndpoint,
  /** Changes whenever anything else here does. */
  version: Schema.String,
  displayName: Schema.String,
  description: Schema.String,
  category: Category,
  tags: Schema.Array(Schema.String),
  /** Name of the provider that runs it. */
  provider: Schema.String,
  inputSchema: JsonSchema,
  outputSchema: JsonSchema,
  /** Valid under `inputSchema` and runnable without internet. */
  exampleInput: Schema.Json,
  price: Price,
  /** How long a run usually takes, in seconds. */
  expectedSeconds: Schema.Number,
  /** A run is stopped and counted as failed after this many seconds. */
  timeoutSeconds: Schema.Number,
  /** Runs at once, at most. */
  concurrency: Schema.Int,
  /** Requests waiting at once, at most; more are refused with 429. */
  maxQueued: Schema.optionalKey(Schema.Int),
  /** Retries after transport errors, if not the usual ones. */
  retry: Schema.optionalKey(RetrySchedule)
})
export type Model = typeof Model.Type
