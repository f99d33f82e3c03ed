/**
 * How many are let in at once, in all and of one account. The others wait, which costs them next to nothing: what they have
 * to say stays in their sockets. So nobody keeps the others out by being slow.
 */
import { type Duration, Effect, Semaphore } from "effect"

export interface UploadSlots {
  /** Runs the effect as soon as there is a place; `otherwise` when there is none in time. */
  readonly within: <A, E, R, E2>(
    account: string,
    effect: Effect.Effect<A, E, R>,
    otherwise: Effect.Effect<never, E2>
  ) => Effect.Effect<A, E | E2, R>
}

interface Own {
  readonly semaphore: Semaphore.Semaphore
  /** Those who have a place, or wait for one. */
  users: number
}

export const make = (options: {
  readonly all: number
  readonly each: number
  /** How long one waits at most. */
  readonly patience: Duration.Input
}): UploadSlots => {
  const all = Semaphore.makeUnsafe(options.all)
  const accounts = new Map<string, Own>()

  const enter = (account: string): Own => {
    const own = accounts.get(account) ?? { semaphore: Semaphore.makeUnsafe(options.each), users: 0 }
    own.users++
    accounts.set(account, own)
    return own
  }

  const leave = (account: string, own: Own) => {
    if (--own.users === 0) accounts.delete(account)
  }

  const within = <A, E, R, E2>(
    account: string,
    effect: Effect.Effect<A, E, R>,
    otherwise: Effect.Effect<never, E2>
  ): Effect.Effect<A, E | E2, R> =>
    Effect.suspend(() => {
      const own = enter(account)
      let isIn = false
      const begun = Effect.suspend(() => {
        isIn = true
        return effect
      })
      const impatience: Effect.Effect<never, E2> = Effect.flatMap(Effect.sleep(options.patience), () =>
        isIn ? Effect.never : otherwise
      )
      return Effect.raceFirst(own.semaphore.withPermit(all.withPermit(begun)), impatience).pipe(
        Effect.ensuring(Effect.sync(() => leave(account, own)))
      )
    })

  return { within }
}
