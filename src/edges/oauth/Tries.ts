/**
 * How often credentials may be wrong for one authorization: whoever guesses has to begin anew each time. In this process
 * alone, for `SignIn` limits guesses whatever they are for.
 */
import { Effect, Schema } from "effect"
import * as RecentlyUsed from "#streams/RecentlyUsed.ts"
import { isCounted } from "./SignIn.ts"

/** They have been wrong so often that nothing more is looked at. */
export class TooManyTries extends Schema.TaggedError<TooManyTries>()("TooManyTries", {}) {}

export const most = 10

/** Authorizations whose failures are known: those with the last ones. */
const capacity = 10_000

export interface Tries {
  /** One more of that authorization. Taken when it begins, so that those that run at once cannot get past. */
  readonly of: (
    uid: string
  ) => <A, E extends { readonly _tag: string }, R>(
    attempt: Effect.Effect<A, E, R>
  ) => Effect.Effect<A, E | TooManyTries, R>
}

export const make = (): Tries => {
  const failures = RecentlyUsed.make<number>({ capacity })
  const add = (uid: string, count: number): void => failures.set(uid, (failures.get(uid) ?? 0) + count)

  return {
    of: (uid) => (attempt) =>
      Effect.gen(function* () {
        if ((failures.get(uid) ?? 0) >= most) return yield* new TooManyTries()
        add(uid, 1)
        return yield* Effect.onExit(attempt, (exit) =>
          Effect.sync(() => {
            if (!isCounted(exit)) add(uid, -1)
          })
        )
      })
  }
}
