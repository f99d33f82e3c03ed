/** How many messages may have text in files at once: it bounds what they take up on disk. */
import { type Duration, Effect, type Scope, Semaphore } from "effect"

export interface SpoolPlaces {
  /** A place until the scope closes; `otherwise` when there is none in time. */
  readonly enter: <E>(
    account: string,
    otherwise: Effect.Effect<never, E>
  ) => Effect.Effect<void, E, Scope.Scope>
}

interface Own {
  readonly semaphore: Semaphore.Semaphore
  /** Those who have a place, or wait for one. */
  users: number
}

const hold = (semaphore: Semaphore.Semaphore) =>
  Effect.acquireRelease(semaphore.take(1), () => semaphore.release(1), { interruptible: true })

export const make = (options: {
  readonly all: number
  readonly each: number
  /** How long one waits at most. */
  readonly patience: Duration.Input
}): SpoolPlaces => {
  const all = Semaphore.makeUnsafe(options.all)
  const accounts = new Map<string, Own>()

  const ownOf = (account: string) =>
    Effect.acquireRelease(
      Effect.sync(() => {
        const own = accounts.get(account) ?? { semaphore: Semaphore.makeUnsafe(options.each), users: 0 }
        own.users++
        accounts.set(account, own)
        return own
      }),
      (own) =>
        Effect.sync(() => {
          if (--own.users === 0) accounts.delete(account)
        })
    )

  return {
    enter: (account, otherwise) =>
      Effect.flatMap(ownOf(account), ({ semaphore }) =>
        Effect.andThen(hold(semaphore), hold(all)).pipe(
          Effect.timeoutOrElse({ duration: options.patience, orElse: () => otherwise })
        )
      )
  }
}
