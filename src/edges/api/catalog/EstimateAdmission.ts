/**
 * Limits price estimates on this node: they are free, need no key, and evaluate schemas and expressions of a model. All
 * calls without a key share one bucket of calls, and each address has a bucket of bytes. A call with a valid key counts
 * towards the key's rates (decisions, "429 body") and its account's bucket of bytes.
 */
import { Clock, Context, Effect } from "effect"
import type { Rate } from "#domain/account/Limits.ts"
import { Authentication } from "#src/features/accounts/Authentication.ts"
import type { Caller } from "#src/features/accounts/Caller.ts"
import { isLimited, RateLimits } from "#src/features/accounts/RateLimits.ts"
import * as TokenBucket from "#src/kernel/limits/TokenBucket.ts"
import * as TokenBuckets from "#src/kernel/limits/TokenBuckets.ts"
import * as MonotonicTime from "#src/kernel/time/MonotonicTime.ts"
import { groupOf, privateAddresses } from "#src/edges/http/edge/AddressGroup.ts"
import * as LimitErrorAnswers from "#src/edges/http/LimitErrorAnswers.ts"
import * as RateLimitFields from "#src/edges/http/RateLimitFields.ts"
import * as ErrorAnswer from "#src/edges/http/ErrorAnswer.ts"
import type { RequestHeaders } from "#src/edges/http/requests/RequestHeaders.ts"

/** For all calls without a key: 50 a second, at most 100 at once. */
export const AnonymousRate = Context.Reference<Rate>("inferlog/src/edges/api/catalog/AnonymousRate", {
  defaultValue: () => ({ requests: 100, windowSeconds: 2 })
})

/** Bytes of a body: the call is free, and without a key it is anonymous. */
const maxBytes = 1024 * 1024
const maxBytesWithoutKey = 64 * 1024

const window = (bytes: number): Rate => ({ requests: bytes, windowSeconds: 10 })

/** Bytes of bodies. All private addresses share a bucket: a proxy for many clients has such an address. */
const bytesOfAddress = window(512 * 1024)
const bytesOfHouse = window(4 * 1024 * 1024)
const bytesOfAccount = window(4 * 1024 * 1024)

const knownOwners = 10_000

/** A call that may proceed. */
export interface Admitted {
  /** An account, or an address. */
  readonly owner: string
  /** Of the body, bytes. */
  readonly limit: number
}

interface Call {
  readonly headers: RequestHeaders
  /** `""` when unknown. */
  readonly address: string
}

interface Counted extends Admitted {
  readonly scope: "account" | "address"
  readonly bucket: string
  readonly rate: Rate
}

const ofAddress = (address: string): Counted => {
  const source = groupOf(address)
  return {
    // Behind an untrusted proxy all clients have one address. In a private network each client has its own.
    owner: source === privateAddresses ? address : source,
    limit: maxBytesWithoutKey,
    scope: "address",
    bucket: source,
    rate: source === privateAddresses ? bytesOfHouse : bytesOfAddress
  }
}

const ofCaller = ({ accountId }: Caller): Counted => ({
  owner: accountId,
  limit: maxBytes,
  scope: "account",
  bucket: accountId,
  rate: bytesOfAccount
})

export const make = Effect.gen(function* () {
  const rate = yield* AnonymousRate
  const clock = yield* Clock.Clock
  const authentication = yield* Authentication
  const rateLimits = yield* RateLimits
  const bucket = TokenBucket.full(rate, MonotonicTime.millisOf(clock))
  const bytes = TokenBuckets.make(knownOwners)

  const takeAnonymous: Effect.Effect<void, ErrorAnswer.ErrorAnswer> = Effect.suspend(() => {
    TokenBucket.refill(bucket, rate, MonotonicTime.millisOf(clock))
    if (TokenBucket.remaining(bucket) > 0) return Effect.sync(() => TokenBucket.take(bucket))
    const nextInSeconds = TokenBuckets.wholeSeconds(TokenBucket.untilNextMs(bucket))
    const standing = { scope: "node", rate, remaining: 0, nextInSeconds } as const
    return Effect.fail(LimitErrorAnswers.rateExceeded(standing, RateLimitFields.ofRates([standing])))
  })

  const takeOf = (caller: Caller): Effect.Effect<void, ErrorAnswer.ErrorAnswer> => {
    if (!isLimited(caller)) return Effect.void
    const { refusedBy, standings } = rateLimits.take(caller)
    return refusedBy === null
      ? Effect.void
      : Effect.fail(LimitErrorAnswers.rateExceeded(refusedBy, RateLimitFields.ofRates(standings)))
  }

  /** Counts the announced length, or without one the longest permitted body. */
  const takeBytes = ({ headers }: Call, { limit, owner, rate, scope, ...counted }: Counted) =>
    Effect.suspend((): Effect.Effect<Admitted, ErrorAnswer.ErrorAnswer> => {
      const announced = Number(headers["content-length"] ?? limit)
      if (announced > limit) return Effect.fail(ErrorAnswer.bodyTooLarge(limit))
      const left = bytes(counted.bucket, rate, MonotonicTime.millisOf(clock))
      if (TokenBucket.remaining(left) < announced) {
        const retryAfterSeconds = TokenBuckets.wholeSeconds(TokenBucket.untilMs(left, announced))
        return Effect.fail(LimitErrorAnswers.bytesExceeded({ scope, rate, retryAfterSeconds }))
      }
      TokenBucket.take(left, announced)
      return Effect.succeed({ owner, limit })
    })

  /** Takes one call and its bytes, or refuses the call before its body is read. An invalid key counts as none. */
  return (call: Call): Effect.Effect<Admitted, ErrorAnswer.ErrorAnswer> => {
    const authorization = call.headers["authorization"]
    const withoutKey = Effect.andThen(takeAnonymous, takeBytes(call, ofAddress(call.address)))
    if (authorization === undefined) return withoutKey
    return Effect.matchEffect(authentication.authenticate(authorization), {
      onFailure: () => withoutKey,
      onSuccess: (caller) => Effect.andThen(takeOf(caller), takeBytes(call, ofCaller(caller)))
    })
  }
})
