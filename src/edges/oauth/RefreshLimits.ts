/** Rate limit of token refreshes per login. In memory: the buckets are full after a start. */
import { Clock, Effect } from "effect"
import type { Rate } from "#domain/account/Limits.ts"
import * as TokenBuckets from "#src/kernel/limits/TokenBuckets.ts"
import * as MonotonicTime from "#src/kernel/time/MonotonicTime.ts"

/** An access token lives for an hour. Several calls of an assistant may notice at once that it has expired. */
const rate: Rate = { requests: 30, windowSeconds: 60 }

/** Logins in memory. A forgotten one starts with a full bucket. */
const knownLogins = 10_000

/** Takes one refresh and returns 0, or returns the whole seconds until the login may refresh again. */
export type RefreshLimits = (loginId: string) => number

export const make = Effect.gen(function* () {
  const clock = yield* Clock.Clock
  const buckets = TokenBuckets.make(knownLogins)

  const limits: RefreshLimits = (loginId) =>
    TokenBuckets.takeOfAll([buckets(loginId, rate, MonotonicTime.millisOf(clock))])
  return limits
})
