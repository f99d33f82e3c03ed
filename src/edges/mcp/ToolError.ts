/** Why a tool refused a call, for the model to read: what is wrong, then what to do next. */
import { Schema } from "effect"

/** Becomes a result with `isError` and the message as its text. It repeats no input and no secret. */
export class ToolError extends Schema.TaggedError<ToolError>()("ToolError", { message: Schema.String }) {}
