/** What clients are told of how a tool behaves (MCP 2025-11-25, `ToolAnnotations`). */
import { Context } from "effect"
import * as Tool from "effect/ai/Tool"

/** Unknown arguments are refused: a misnamed one would be ignored otherwise, and the answer be to another question. */
const strict = Context.make(Tool.Strict, true)

/** It reads what this server has, and changes nothing. */
export const reading = strict.pipe(
  Context.add(Tool.Readonly, true),
  Context.add(Tool.Destructive, false),
  Context.add(Tool.Idempotent, true),
  Context.add(Tool.OpenWorld, false)
)

/** It adds something each time that it is called, here and with providers outside. Nothing is lost by it. */
export const adding = strict.pipe(
  Context.add(Tool.Readonly, false),
  Context.add(Tool.Destructive, false),
  Context.add(Tool.Idempotent, false),
  Context.add(Tool.OpenWorld, true)
)
