/** A product based on a model: a template makes the model's input from a simpler input (decisions, "Platform routes"). */
import { Schema } from "effect"
import { ModelEndpoint } from "../ModelEndpoint.ts"
import { Category, JsonSchema } from "./Model.ts"

const JsonRecord = Schema.Record(Schema.String, Schema.Json)

export const Wrapper = Schema.Struct({
  /** Models and wrappers share one namespace. */
  endpoint: ModelEndpoint,
  /** Changes when any other field changes. */
  version: Schema.String,
  displayName: Schema.String,
  description: Schema.String,
  category: Category,
  tags: Schema.Array(Schema.String),
  recommended: Schema.optionalKey(Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 1_000_000 }))),
  /** The model that runs. It cannot be a wrapper. */
  base: ModelEndpoint,
  /**
   * The input of the base model, with `{{name}}` for values of the wrapper's input. A string that is one placeholder takes
   * the value unchanged, of any type. Inside a longer string, the value becomes text.
   */
  template: JsonRecord,
  /** Values of placeholders that the input leaves out. */
  defaults: JsonRecord,
  inputSchema: JsonSchema,
  /** Valid against `inputSchema`. The template's result is valid against the base model's schema. */
  exampleInput: Schema.Json
})
export type Wrapper = typeof Wrapper.Type
