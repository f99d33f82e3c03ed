/** Why a tool did not do what it was asked, as the model reads it: what is wrong, then what to do next. */
import { Schema } from "effect"

/** It becomes a result with `isError`, whose text is the message. No input and no secret is repeated in it. */
export class ToolRefusal extends Schema.TaggedError<ToolRefusal>()("ToolRefusal", {
  message: Schema.String
}) {}
