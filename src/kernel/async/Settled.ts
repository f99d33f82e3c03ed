/** Effects that have their result already, so that no fiber has to run them. */
import { type Effect, Exit } from "effect"

/** The exit of an effect that has one; `null` for an effect that has to run. */
export const exitOf = <A, E, R>(effect: Effect.Effect<A, E, R>): Exit.Exit<A, E> | null =>
  Exit.isExit(effect) ? (effect as Exit.Exit<A, E>) : null

/** Whether the effect has succeeded already. */
export const hasSucceeded = <A, E, R>(effect: Effect.Effect<A, E, R>): effect is Exit.Success<A, never> =>
  exitOf(effect)?._tag === "Success"
