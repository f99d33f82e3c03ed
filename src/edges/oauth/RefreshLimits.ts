/** How often a login may get new tokens. In memory: after a start nobody has asked. */
import { Clock, Effect } from "effect"
import type { Rate } from "#domain/account/Limits.ts"
import * as TokenBuckets from "#src/features/accounts/TokenBuckets.ts"
import * as MonotonicTime from "#src/kernel/time/MonotonicTime.ts"

/** Tokens are good for an hour, and several calls of an assistant may find at once that theirs is not. */
const rate: Rate = { requests: 30, windowSeconds: 60 }

/** Logins that are remembered; one that is forgotten begins anew. */
const knownLogins = 10_000

/** Takes one refresh of the login, or none: 0 when it may go on, else whole seconds until it may come again. */
export type RefreshLimits = (loginId: string) => number

export const make = Effect.gen(function* () {
  const clock = yield* Clock.Clock
  const buckets = TokenBuckets.make(knownLogins)

  const limits: RefreshLimits = (loginId) =>
    TokenBuckets.takeOfAll([buckets(loginId, rate, MonotonicTime.millisOf(clock))])
  return limits
})
