/** Effects that have their result already, so that no fiber has to run them. */
import { type Effect, Exit } from "effect"

/** Whether the effect has succeeded already. */
export const hasSucceeded = <A, E, R>(effect: Effect.Effect<A, E, R>): effect is Exit.Success<A> =>
  Exit.isExit(effect) && Exit.isSuccess(effect)
