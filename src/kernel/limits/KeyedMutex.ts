/** Runs effects with the same key one at a time, and effects with different keys concurrently. */
import { Effect, Semaphore } from "effect"

interface Lock {
  readonly semaphore: Semaphore.Semaphore
  /** Effects that run or wait. */
  users: number
}

export type KeyedMutex = (key: string) => <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>

export const make = (): KeyedMutex => {
  const locks = new Map<string, Lock>()
  return (key) => (effect) =>
    Effect.suspend(() => {
      const lock = locks.get(key) ?? { semaphore: Semaphore.makeUnsafe(1), users: 0 }
      lock.users++
      locks.set(key, lock)
      return Effect.ensuring(
        lock.semaphore.withPermit(effect),
        Effect.sync(() => {
          if (--lock.users === 0) locks.delete(key)
        })
      )
    })
}
