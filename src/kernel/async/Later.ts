/** Effects that only wait for a callback. `Settled.settle` waits for them without a fiber, which matters for thousands. */
import { Effect, Exit } from "effect"

/** Calls `onValue` once, possibly before it returns, unless the returned function is called before. */
export type Subscribe<A> = (onValue: (value: A) => void) => () => void

const subscription = Symbol("Later.subscription")

interface Later<A> extends Effect.Effect<A> {
  readonly [subscription]: Subscribe<A>
}

export const make = <A>(subscribe: Subscribe<A>): Effect.Effect<A> =>
  Object.assign(
    Effect.callback<A>((resume) => Effect.sync(subscribe((value) => resume(Exit.succeed(value))))),
    { [subscription]: subscribe }
  )

const isLater = <A, E>(effect: Effect.Effect<A, E>): effect is Later<A> => subscription in effect

/** How to wait for the effect; `null` if it needs a fiber. */
export const subscribeOf = <A, E>(effect: Effect.Effect<A, E>): Subscribe<A> | null =>
  isLater(effect) ? effect[subscription] : null

/** `Effect.map` which keeps an effect that needs no fiber like that. `f` must not throw. */
export const map = <A, B>(effect: Effect.Effect<A>, f: (value: A) => B): Effect.Effect<B> => {
  const subscribe = subscribeOf(effect)
  return subscribe === null
    ? Effect.mapEager(effect, f)
    : make((onValue) => subscribe((value) => onValue(f(value))))
}
