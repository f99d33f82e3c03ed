/** A product on a model: a template that makes the model's input out of a simpler one (decisions, "Platform routes"). */
import { Schema } from "effect"
import { ModelEndpoint } from "../ModelEndpoint.ts"
import { Category, JsonSchema } from "./Model.ts"

const JsonRecord = Schema.Record(Schema.String, Schema.Json)

export const Wrapper = Schema.Struct({
  /** Its own; the names of models and wrappers are one space. */
  endpoint: ModelEndpoint,
  /** Changes whenever anything else here does. */
  version: Schema.String,
  displayName: Schema.String,
  description: Schema.String,
  category: Category,
  tags: Schema.Array(Schema.String),
  recommended: Schema.optionalKey(Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 1_000_000 }))),
  /** The model that runs. Not a wrapper. */
  base: ModelEndpoint,
  /**
   * The input of the base model, with `{{name}}` where the wrapper's input goes in. A string that is nothing but one
   * placeholder takes the value as it is, of whatever type; within a longer string the value becomes text.
   */
  template: JsonRecord,
  /** Values of placeholders that the input does not name. */
  defaults: JsonRecord,
  inputSchema: JsonSchema,
  /** Valid under `inputSchema`, and what the template makes of it under the base model's. */
  exampleInput: Schema.Json
})
export type Wrapper = typeof Wrapper.Type
