/** What the server's end means for answers. */
import { Context, Effect } from "effect"

/**
 * Completes when the server begins to stop: answers that are held back are then given as they are, or not at all, so that
 * nobody's wait is in the way of the end.
 */
export const Stopping = Context.Reference<Effect.Effect<void>>("inferlog/src/edges/http/Stopping", {
  defaultValue: () => Effect.never
})

/** Whether it has begun: each answer is then the last of its connection, and says so. */
export const IsStopping = Context.Reference<() => boolean>("inferlog/src/edges/http/IsStopping", {
  defaultValue: () => () => false
})
