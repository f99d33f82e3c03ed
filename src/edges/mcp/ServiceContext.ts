/**
 * Removes this server's services from a tool's context. Effect copies the context for every concurrent call, and
 * with a hundred services a waiting call takes twice the memory.
 */
import { Context } from "effect"

/** The services of Effect and Node: clock, loggers, tracer. */
export const without = (context: Context.Context<never>): Context.Context<never> => {
  const others = new Map<string, unknown>()
  for (const [key, service] of context.mapUnsafe) if (!key.startsWith("inferlog/")) others.set(key, service)
  return Context.makeUnsafe(others)
}
