/**
 * How often prices are estimated on this node: it costs a look at the schema and the expressions of a model, and no key is
 * asked for. All calls without one share a bucket. A key that is good is under its own rates instead (decisions, "429 body").
 */
import { Clock, Context, Effect } from "effect"
import type { Rate } from "#domain/account/Limits.ts"
import { Authentication } from "#src/accounts/Authentication.ts"
import { isLimited, RateLimits } from "#src/accounts/RateLimits.ts"
import * as TokenBucket from "#src/accounts/TokenBucket.ts"
import * as TokenBuckets from "#src/accounts/TokenBuckets.ts"
import * as MonotonicTime from "#src/MonotonicTime.ts"
import * as LimitRefusals from "../../LimitRefusals.ts"
import * as RateLimitFields from "../../RateLimitFields.ts"
import type * as Refusal from "../../Refusal.ts"

/** Of all calls without a key: 50 a second, and 100 at once. */
export const AnonymousRate = Context.Reference<Rate>("inferlog/src/http/AnonymousRate", {
  defaultValue: () => ({ requests: 100, windowSeconds: 2 })
})

export const make = Effect.gen(function* () {
  const rate = yield* AnonymousRate
  const clock = yield* Clock.Clock
  const authentication = yield* Authentication
  const rateLimits = yield* RateLimits
  const bucket = TokenBucket.full(rate, MonotonicTime.millisOf(clock))

  const takeAnonymous: Effect.Effect<void, Refusal.Refusal> = Effect.suspend(() => {
    TokenBucket.refill(bucket, rate, MonotonicTime.millisOf(clock))
    if (TokenBucket.remaining(bucket) > 0) return Effect.sync(() => TokenBucket.take(bucket))
    const nextInSeconds = TokenBuckets.wholeSeconds(TokenBucket.untilNextMs(bucket))
    const standing = { scope: "node", rate, remaining: 0, nextInSeconds } as const
    return Effect.fail(LimitRefusals.rateExceeded(standing, RateLimitFields.ofRates([standing])))
  })

  /** Takes one call, or refuses it. A key that is no good counts as none. */
  return (authorization: string | undefined): Effect.Effect<void, Refusal.Refusal> => {
    if (authorization === undefined) return takeAnonymous
    return Effect.matchEffect(authentication.authenticate(authorization), {
      onFailure: () => takeAnonymous,
      onSuccess: (caller) => {
        if (!isLimited(caller)) return Effect.void
        const { refusedBy, standings } = rateLimits.take(caller)
        return refusedBy === null
          ? Effect.void
          : Effect.fail(LimitRefusals.rateExceeded(refusedBy, RateLimitFields.ofRates(standings)))
      }
    })
  }
})
