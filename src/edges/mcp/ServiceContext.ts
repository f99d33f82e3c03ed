/**
 * Effect keeps what a tool was registered with, and copies it for every call that is under way. A server has some hundred
 * services of its own: with all of them a call that waits takes twice the memory.
 */
import { Context } from "effect"

/** What is effect's or Node's alone: the clock, loggers, the tracer. */
export const without = (context: Context.Context<never>): Context.Context<never> => {
  const others = new Map<string, unknown>()
  for (const [key, service] of context.mapUnsafe) if (!key.startsWith("inferlog/")) others.set(key, service)
  return Context.makeUnsafe(others)
}
