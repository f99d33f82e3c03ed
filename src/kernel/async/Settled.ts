/** Results of effects without a fiber, where none is needed. */
import { type Effect, Exit } from "effect"

/** Whether the effect has succeeded already. */
export const hasSucceeded = <A, E, R>(effect: Effect.Effect<A, E, R>): effect is Exit.Success<A> =>
  Exit.isExit(effect) && Exit.isSuccess(effect)

/** Whether the effect has ended already. */
export const isSettled = <A, E>(effect: Effect.Effect<A, E>): effect is Exit.Exit<A, E> => Exit.isExit(effect)

/** The effect that a function returns; one that dies if the function throws. */
export const of = <A, E>(make: () => Effect.Effect<A, E>): Effect.Effect<A, E> => {
  try {
    return make()
  } catch (defect) {
    return Exit.die(defect)
  }
}
