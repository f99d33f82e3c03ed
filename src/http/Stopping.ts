/**
 * Completes when the server begins to stop: answers that are held back are then given as they are, or not at all, so that
 * nobody's wait is in the way of the end.
 */
import { Context, Effect } from "effect"

export const Stopping = Context.Reference<Effect.Effect<void>>("inferlog/src/http/Stopping", {
  defaultValue: () => Effect.never
})
