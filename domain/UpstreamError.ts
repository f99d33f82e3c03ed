/** What an upstream's answer says of an error besides its message, in the words of OpenAI's error object. */
import { Schema } from "effect"

/** Fields of events: add optional ones, never rename. */
export const UpstreamError = Schema.Struct({
  /** The status of its answer. */
  status: Schema.optionalKey(Schema.Int),
  code: Schema.optionalKey(Schema.String),
  /** The place in the input. */
  param: Schema.optionalKey(Schema.String),
  type: Schema.optionalKey(Schema.String)
})
export type UpstreamError = typeof UpstreamError.Type
