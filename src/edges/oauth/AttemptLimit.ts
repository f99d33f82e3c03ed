/** Limits wrong credentials per authorization and process; `SignIn` limits guesses across authorizations. */
import { Effect, Schema } from "effect"
import * as RecentlyUsed from "#streams/RecentlyUsed.ts"
import { isCounted } from "./SignIn.ts"

/** The authorization has used up its attempts. The credentials were not checked. */
export class TooManyAttempts extends Schema.TaggedError<TooManyAttempts>()("TooManyAttempts", {}) {}

export const most = 10

/** Authorizations whose failures are in memory: the most recent ones. */
const capacity = 10_000

/**
 * Limits the attempts of an authorization, by its `uid`. An attempt counts when it begins, so that concurrent ones
 * cannot exceed the limit. A success is not counted.
 */
export const make = () => {
  const failures = RecentlyUsed.make<number>({ capacity })
  const add = (uid: string, count: number): void => failures.set(uid, (failures.get(uid) ?? 0) + count)

  return (uid: string) =>
    <A, E extends { readonly _tag: string }, R>(attempt: Effect.Effect<A, E, R>) =>
      Effect.gen(function* () {
        if ((failures.get(uid) ?? 0) >= most) return yield* new TooManyAttempts()
        add(uid, 1)
        return yield* Effect.onExit(attempt, (exit) =>
          Effect.sync(() => {
            if (!isCounted(exit)) add(uid, -1)
          })
        )
      })
}
