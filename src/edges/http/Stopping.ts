/** How answers learn that the server stops. */
import { Context, Effect } from "effect"

/** Completes when the server begins to stop. Delayed answers are then sent or refused at once. */
export const Stopping = Context.Reference<Effect.Effect<void>>("inferlog/src/edges/http/Stopping", {
  defaultValue: () => Effect.never
})

/** Whether the server has begun to stop. Each answer is then the last of its connection, and its headers say so. */
export const IsStopping = Context.Reference<() => boolean>("inferlog/src/edges/http/IsStopping", {
  defaultValue: () => () => false
})
