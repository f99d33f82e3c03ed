/** Rates of accounts and keys on this node, in memory; off unless an operator sets one (decisions, "429 body"). */
import { Clock, Context, Effect, Layer } from "effect"
import type { Rate } from "#domain/account/Limits.ts"
import * as MonotonicTime from "#src/kernel/time/MonotonicTime.ts"
import type { Caller } from "./Caller.ts"
import * as TokenBucket from "#src/kernel/limits/TokenBucket.ts"
import * as TokenBuckets from "#src/kernel/limits/TokenBuckets.ts"

type RatedCaller = Pick<Caller, "accountId" | "keyId" | "limits">

/** The state of one of the call's two rates. */
export interface RateState {
  readonly scope: "account" | "key"
  readonly rate: Rate
  /** Calls left now. */
  readonly remaining: number
  /** Whole seconds, at least 1, until there is one more. */
  readonly nextInSeconds: number
}

export interface Taken {
  /** The account's first; both as of now. */
  readonly standings: ReadonlyArray<RateState>
  /** The empty rate with the longest wait; `null` if the call may proceed. */
  readonly refusedBy: RateState | null
}

export const isLimited = ({ limits }: Pick<Caller, "limits">): boolean =>
  limits.accountRate !== null || limits.keyRate !== null

/** Buckets of each kind. */
const capacity = 100_000

/** Checked before anything is taken, so that a refused call takes nothing. */
interface Opened {
  readonly scope: RateState["scope"]
  readonly bucket: TokenBucket.TokenBucket
}

const standingOf = ({ bucket, scope }: Opened): RateState => ({
  scope,
  rate: bucket.rate,
  remaining: TokenBucket.remaining(bucket),
  nextInSeconds: TokenBuckets.wholeSeconds(TokenBucket.untilNextMs(bucket))
})

const longest = (standings: ReadonlyArray<RateState>): RateState | null =>
  standings.reduce<RateState | null>(
    (longest, one) => (longest !== null && longest.nextInSeconds >= one.nextInSeconds ? longest : one),
    null
  )

export class RateLimits extends Context.Service<
  RateLimits,
  {
    /** Takes one call from both rates or from none. Only for limited callers. */
    take(caller: RatedCaller): Taken
    /** For a call that is several: takes the others too. If that fails, gives the first back; `refusedBy` says why. */
    takeRest(caller: RatedCaller, calls: number): Taken
  }
>()("inferlog/src/features/accounts/RateLimits") {
  static readonly layer = Layer.effect(
    RateLimits,
    Effect.gen(function* () {
      const clock = yield* Clock.Clock
      const ofAccounts = TokenBuckets.make(capacity)
      const ofKeys = TokenBuckets.make(capacity)

      const openAll = ({ accountId, keyId, limits }: RatedCaller): ReadonlyArray<Opened> => {
        const { accountRate, keyRate } = limits
        const now = MonotonicTime.millisOf(clock)
        const opened: Array<Opened> = []
        if (accountRate !== null) {
          opened.push({ scope: "account", bucket: ofAccounts(accountId, accountRate, now) })
        }
        if (keyRate !== null) opened.push({ scope: "key", bucket: ofKeys(keyId, keyRate, now) })
        return opened
      }

      const take: RateLimits["Service"]["take"] = (caller) => {
        const opened = openAll(caller)
        const empty = opened.filter(({ bucket }) => TokenBucket.remaining(bucket) === 0)
        if (empty.length === 0) for (const { bucket } of opened) TokenBucket.take(bucket)
        return { standings: opened.map(standingOf), refusedBy: longest(empty.map(standingOf)) }
      }

      const takeRest: RateLimits["Service"]["takeRest"] = (caller, calls) => {
        const opened = openAll(caller)
        const rest = calls - 1
        const isLeft = opened.every(({ bucket }) => TokenBucket.remaining(bucket) >= rest)
        for (const { bucket } of opened) {
          if (isLeft) TokenBucket.take(bucket, rest)
          else TokenBucket.giveBack(bucket)
        }
        const standings = opened.map(standingOf)
        if (isLeft) return { standings, refusedBy: null }
        const lacking = opened.filter(({ bucket }) => TokenBucket.remaining(bucket) < calls)
        const untilAll = (one: Opened): RateState => ({
          ...standingOf(one),
          nextInSeconds: TokenBuckets.wholeSeconds(TokenBucket.untilMs(one.bucket, calls))
        })
        return { standings, refusedBy: longest(lacking.map(untilAll)) }
      }

      return RateLimits.of({ take, takeRest })
    })
  )
}
