/** Results of effects without a fiber, where none is needed. */
import { type Effect, Exit, type Fiber } from "effect"
import * as Later from "./Later.ts"

/** Whether the effect has succeeded already. */
export const hasSucceeded = <A, E, R>(effect: Effect.Effect<A, E, R>): effect is Exit.Success<A> =>
  Exit.isExit(effect) && Exit.isSuccess(effect)

const isSettled = <A, E>(effect: Effect.Effect<A, E>): effect is Exit.Exit<A, E> => Exit.isExit(effect)

/** The effect that a function returns; one that dies if the function throws. */
export const of = <A, E>(make: () => Effect.Effect<A, E>): Effect.Effect<A, E> => {
  try {
    return make()
  } catch (defect) {
    return Exit.die(defect)
  }
}

/** What waits for an effect. */
export interface Waiting {
  readonly interrupt: () => void
}

const fiberOf = <A, E>(fiber: Fiber.Fiber<A, E>, onExit: (exit: Exit.Exit<A, E>) => void): Waiting | null => {
  const exit = fiber.pollUnsafe()
  if (exit !== undefined) {
    onExit(exit)
    return null
  }
  fiber.addObserver(onExit)
  return { interrupt: () => fiber.interruptUnsafe() }
}

const subscribed = <A, E>(
  subscribe: Later.Subscribe<A>,
  onExit: (exit: Exit.Exit<A, E>) => void
): Waiting | null => {
  let isEnded = false
  const cancel = subscribe((value) => {
    isEnded = true
    onExit(Exit.succeed(value))
  })
  if (isEnded) return null
  return {
    interrupt: () => {
      if (isEnded) return
      isEnded = true
      cancel()
      onExit(Exit.interrupt())
    }
  }
}

/**
 * Calls `onExit` once with the effect's result: at once if it is settled, after a callback if it only waits for one, else from
 * the fiber that `fork` starts. Returns what waits for it; `null` if nothing does, because it has ended.
 */
export const settle = <A, E>(
  effect: Effect.Effect<A, E>,
  fork: (effect: Effect.Effect<A, E>) => Fiber.Fiber<A, E>,
  onExit: (exit: Exit.Exit<A, E>) => void
): Waiting | null => {
  if (isSettled(effect)) {
    onExit(effect)
    return null
  }
  const subscribe = Later.subscribeOf(effect)
  return subscribe === null ? fiberOf(fork(effect), onExit) : subscribed(subscribe, onExit)
}
