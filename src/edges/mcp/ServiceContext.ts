/** Removes this server's services from a tool's context: a copy of them per call would double a waiting call's memory. */
import { Context } from "effect"

/** The services of Effect and Node: clock, loggers, tracer. */
export const without = (context: Context.Context<never>): Context.Context<never> => {
  const others = new Map<string, unknown>()
  for (const [key, service] of context.mapUnsafe) if (!key.startsWith("inferlog/")) others.set(key, service)
  return Context.makeUnsafe(others)
}
