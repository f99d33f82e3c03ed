/**
 * Effects that need no fiber while they wait for callbacks only. `settle` runs such an effect by itself, which matters for
 * thousands; a fiber runs it as any other effect.
 */
import { Effect, Effectable, Exit, type Fiber } from "effect"
import * as Settled from "./Settled.ts"

/** Calls `onValue` once, possibly before it returns, unless the returned function is called before. */
export type Subscribe<A> = (onValue: (value: A) => void) => () => void

/** What waits for an effect. */
export interface Waiting {
  readonly interrupt: () => void
}

type Fork = <A, E>(effect: Effect.Effect<A, E>) => Fiber.Fiber<A, E>
type OnExit<A, E> = (exit: Exit.Exit<A, E>) => void

/** `asEffect` is what a fiber runs. */
abstract class Later<A, E> extends Effectable.Class<A, E> {
  /** `settle` of this effect. */
  abstract start(fork: Fork, onExit: OnExit<A, E>): Waiting | null
}

/** Whether the effect needs no fiber until its first step has ended. */
export const isLater = (effect: Effect.Effect<unknown, unknown>): boolean => effect instanceof Later

class Callback<A> extends Later<A, never> {
  readonly #subscribe: Subscribe<A>

  constructor(subscribe: Subscribe<A>) {
    super()
    this.#subscribe = subscribe
  }

  asEffect(): Effect.Effect<A> {
    return Effect.callback((resume) => Effect.sync(this.#subscribe((value) => resume(Exit.succeed(value)))))
  }

  start(_fork: Fork, onExit: OnExit<A, never>): Waiting | null {
    let isEnded = false
    const cancel = this.#subscribe((value) => {
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
}

/** Waits for a callback. */
export const make = <A>(subscribe: Subscribe<A>): Effect.Effect<A> => new Callback(subscribe)

const notToInterrupt: Waiting = { interrupt: () => {} }

class Work<A, E> extends Later<A, E> {
  readonly #begin: (onExit: OnExit<A, E>) => void

  constructor(begin: (onExit: OnExit<A, E>) => void) {
    super()
    this.#begin = begin
  }

  asEffect(): Effect.Effect<A, E> {
    return Effect.uninterruptible(Effect.callback<A, E>((resume) => this.#begin(resume)))
  }

  start(_fork: Fork, onExit: OnExit<A, E>): Waiting | null {
    this.#begin(onExit)
    return notToInterrupt
  }
}

/** Work that ends in any case and then calls back once, possibly before it returns. It is not to be interrupted. */
export const work = <A, E>(begin: (onExit: OnExit<A, E>) => void): Effect.Effect<A, E> => new Work(begin)

class Uninterruptible<A, E> extends Later<A, E> {
  readonly #build: () => Effect.Effect<A, E>

  constructor(build: () => Effect.Effect<A, E>) {
    super()
    this.#build = build
  }

  asEffect(): Effect.Effect<A, E> {
    return Effect.uninterruptible(Effect.suspend(this.#build))
  }

  start(fork: Fork, onExit: OnExit<A, E>): Waiting | null {
    settle(Settled.of(this.#build), (effect) => fork(Effect.uninterruptible(effect)), onExit)
    return notToInterrupt
  }
}

/** The effect that `build` returns when this one is run. It is not interrupted. */
export const uninterruptible = <A, E>(build: () => Effect.Effect<A, E>): Effect.Effect<A, E> =>
  new Uninterruptible(build)

type Next<A, E, B, F> = (exit: Exit.Exit<A, E>) => Effect.Effect<B, F>

class Then<A, E, B, F> extends Later<B, F> {
  readonly #first: Later<A, E>
  readonly #next: Next<A, E, B, F>

  constructor(first: Later<A, E>, next: Next<A, E, B, F>) {
    super()
    this.#first = first
    this.#next = next
  }

  asEffect(): Effect.Effect<B, F> {
    return Effect.flatMap(Effect.exit(this.#first), this.#next)
  }

  start(fork: Fork, onExit: OnExit<B, F>): Waiting | null {
    return new Passage(this.#next, fork, onExit).begin(this.#first)
  }
}

/** Waits for the first effect of a `Then`, and after that for the next one. */
class Passage<A, E, B, F> implements Waiting {
  readonly #next: Next<A, E, B, F>
  readonly #fork: Fork
  readonly #onExit: OnExit<B, F>
  #isBeyond = false
  #waiting: Waiting | null = null

  constructor(next: Next<A, E, B, F>, fork: Fork, onExit: OnExit<B, F>) {
    this.#next = next
    this.#fork = fork
    this.#onExit = onExit
  }

  begin(first: Later<A, E>): Waiting | null {
    const waiting = first.start(this.#fork, (exit) => {
      this.#isBeyond = true
      this.#waiting = settle(this.#after(exit), this.#fork, this.#onExit)
    })
    if (!this.#isBeyond) this.#waiting = waiting
    return this.#waiting === null ? null : this
  }

  interrupt(): void {
    this.#waiting?.interrupt()
  }

  #after(exit: Exit.Exit<A, E>): Effect.Effect<B, F> {
    try {
      return this.#next(exit)
    } catch (defect) {
      return Exit.die(defect)
    }
  }
}

/** Goes on with the result of an effect, whatever it is; at once if it is known. */
export const andThen = <A, E, B, F>(
  effect: Effect.Effect<A, E>,
  f: (exit: Exit.Exit<A, E>) => Effect.Effect<B, F>
): Effect.Effect<B, F> => {
  if (effect instanceof Later) return new Then(effect, f)
  return Settled.isSettled(effect) ? f(effect) : Effect.flatMap(Effect.exit(effect), f)
}

/** `Effect.flatMap` which keeps an effect that needs no fiber like that. */
export const flatMap = <A, E, B, F>(
  effect: Effect.Effect<A, E>,
  f: (value: A) => Effect.Effect<B, F>
): Effect.Effect<B, E | F> =>
  effect instanceof Later
    ? new Then<A, E, B, E | F>(effect, (exit) =>
        Exit.isSuccess(exit) ? f(exit.value) : Exit.failCause(exit.cause)
      )
    : Effect.flatMapEager(effect, f)

/** `Effect.map` which keeps an effect that needs no fiber like that. */
export const map = <A, E, B>(effect: Effect.Effect<A, E>, f: (value: A) => B): Effect.Effect<B, E> =>
  flatMap(effect, (value) => Effect.succeed(f(value)))

class Observed<A, E> extends Later<A, E> {
  readonly #first: Later<A, E>
  readonly #observe: OnExit<A, E>

  constructor(first: Later<A, E>, observe: OnExit<A, E>) {
    super()
    this.#first = first
    this.#observe = observe
  }

  asEffect(): Effect.Effect<A, E> {
    return observed(this.#first, this.#observe)
  }

  start(fork: Fork, onExit: OnExit<A, E>): Waiting | null {
    return this.#first.start(fork, (exit) => {
      this.#observe(exit)
      onExit(exit)
    })
  }
}

const observed = <A, E>(effect: Effect.Effect<A, E>, observe: OnExit<A, E>): Effect.Effect<A, E> =>
  Effect.onExitPrimitive(effect, (exit) => {
    observe(exit)
    return undefined
  })

/** Calls `f` with the result of an effect before anything goes on with it, also if it is interrupted. `f` must not throw. */
export const onExit = <A, E>(effect: Effect.Effect<A, E>, f: OnExit<A, E>): Effect.Effect<A, E> => {
  if (effect instanceof Later) return new Observed(effect, f)
  if (!Settled.isSettled(effect)) return observed(effect, f)
  f(effect)
  return effect
}

const fiberOf = <A, E>(fiber: Fiber.Fiber<A, E>, onExit: OnExit<A, E>): Waiting | null => {
  const exit = fiber.pollUnsafe()
  if (exit !== undefined) {
    onExit(exit)
    return null
  }
  fiber.addObserver(onExit)
  return { interrupt: () => fiber.interruptUnsafe() }
}

/**
 * Calls `onExit` once with the effect's result: at once if it is settled, after a callback if it only waits for some, else from
 * the fiber that `fork` starts. Returns what waits for it; `null` if nothing does, because it has ended.
 */
export const settle = <A, E>(
  effect: Effect.Effect<A, E>,
  fork: Fork,
  onExit: OnExit<A, E>
): Waiting | null => {
  if (effect instanceof Later) return effect.start(fork, onExit)
  if (!Settled.isSettled(effect)) return fiberOf(fork(effect), onExit)
  onExit(effect)
  return null
}
