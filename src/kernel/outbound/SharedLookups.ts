/** One query per name at a time, for all that ask for it meanwhile. Not cached, because each call must check. */
import { type Array, Effect, type Exit, FiberSet } from "effect"

type Found = Array.NonEmptyReadonlyArray<string>

/**
 * Calls `onEnd` once, possibly before it returns, unless the returned function is called before. The query is cancelled when
 * no caller waits for it.
 */
export type LookUp<E> = (name: string, onEnd: (end: Exit.Exit<Found, E>) => void) => () => void

export const make = <E>(resolve: (name: string) => Effect.Effect<Found, E>) =>
  Effect.map(FiberSet.makeRuntime<never>(), (fork): LookUp<E> => {
    interface Lookup {
      readonly waiting: Set<(end: Exit.Exit<Found, E>) => void>
      stop: () => void
    }
    const underWay = new Map<string, Lookup>()

    const forget = (name: string, lookup: Lookup) => {
      if (underWay.get(name) === lookup) underWay.delete(name)
    }

    const begin = (name: string, lookup: Lookup) => {
      underWay.set(name, lookup)
      const fiber = fork(resolve(name))
      lookup.stop = () => fiber.interruptUnsafe()
      fiber.addObserver((end) => {
        forget(name, lookup)
        for (const onEnd of lookup.waiting) onEnd(end)
        lookup.waiting.clear()
      })
    }

    return (name, onEnd) => {
      const known = underWay.get(name)
      const lookup = known ?? { waiting: new Set(), stop: () => {} }
      lookup.waiting.add(onEnd)
      if (known === undefined) begin(name, lookup)
      return () => {
        if (!lookup.waiting.delete(onEnd) || lookup.waiting.size > 0) return
        forget(name, lookup)
        lookup.stop()
      }
    }
  })
