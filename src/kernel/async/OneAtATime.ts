/** Effects of one key one after the other, of different keys at once. */
import { Effect, Semaphore } from "effect"

interface Turn {
  readonly semaphore: Semaphore.Semaphore
  /** Those who are at it, or wait. */
  users: number
}

export type OneAtATime = (key: string) => <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>

export const make = (): OneAtATime => {
  const turns = new Map<string, Turn>()
  return (key) => (effect) =>
    Effect.suspend(() => {
      const turn = turns.get(key) ?? { semaphore: Semaphore.makeUnsafe(1), users: 0 }
      turn.users++
      turns.set(key, turn)
      return Effect.ensuring(
        turn.semaphore.withPermit(effect),
        Effect.sync(() => {
          if (--turn.users === 0) turns.delete(key)
        })
      )
    })
}
