/** Annotations that describe to clients how a tool behaves (MCP 2025-11-25, `ToolAnnotations`). */
import { Context } from "effect"
import * as Tool from "effect/ai/Tool"

/** Refuses unknown arguments. Otherwise a misnamed one would be ignored and change the meaning of the call. */
const strict = Context.make(Tool.Strict, true)

/** The tool only reads data of this server. */
export const reading = strict.pipe(
  Context.add(Tool.Readonly, true),
  Context.add(Tool.Destructive, false),
  Context.add(Tool.Idempotent, true),
  Context.add(Tool.OpenWorld, false)
)

/** Each call adds something here and at external providers, and destroys nothing. */
export const adding = strict.pipe(
  Context.add(Tool.Readonly, false),
  Context.add(Tool.Destructive, false),
  Context.add(Tool.Idempotent, false),
  Context.add(Tool.OpenWorld, true)
)
