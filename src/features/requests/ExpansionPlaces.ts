/**
 * Pages with payloads that are made at once: each takes several times its bytes while it is. One of an account at a time, so
 * that nobody keeps the others out by asking for many, or by being slow.
 */
import { type Duration, Effect, Schema, type Scope, Semaphore } from "effect"
import type { AccountId } from "#domain/Ids.ts"

/** There was no place in time. */
export class TooManyExpanded extends Schema.TaggedError<TooManyExpanded>()("TooManyExpanded", {}) {}

export const most = 2

/** How long one waits for a place, at most. */
const usualPatience: Duration.Input = "10 seconds"

interface Own {
  readonly semaphore: Semaphore.Semaphore
  /** Those who have its place, or wait for it. */
  users: number
}

export interface ExpansionPlaces {
  /** Until the scope is closed. Whoever leaves while waiting for a place takes none. */
  readonly take: (accountId: AccountId) => Effect.Effect<void, TooManyExpanded, Scope.Scope>
}

export const make = (patience: Duration.Input = usualPatience): ExpansionPlaces => {
  const all = Semaphore.makeUnsafe(most)
  const accounts = new Map<AccountId, Own>()

  const enter = (accountId: AccountId): Own => {
    const own = accounts.get(accountId) ?? { semaphore: Semaphore.makeUnsafe(1), users: 0 }
    own.users++
    accounts.set(accountId, own)
    return own
  }

  const leave = (accountId: AccountId, own: Own) => {
    if (--own.users === 0) accounts.delete(accountId)
  }

  const take = Effect.fnUntraced(function* (accountId: AccountId) {
    const own = yield* Effect.acquireRelease(
      Effect.sync(() => enter(accountId)),
      (own) => Effect.sync(() => leave(accountId, own))
    )
    // The account's own first: who waits for that is in nobody's way.
    yield* Effect.andThen(place(own.semaphore), place(all)).pipe(
      Effect.timeoutOrElse({ duration: patience, orElse: () => Effect.fail(new TooManyExpanded()) })
    )
  })

  return { take }
}

const place = (semaphore: Semaphore.Semaphore) =>
  Effect.acquireRelease(semaphore.take(1), () => semaphore.release(1), { interruptible: true })
