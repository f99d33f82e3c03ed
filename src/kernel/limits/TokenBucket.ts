/**
 * A token bucket for a `Rate` (`domain/account/Limits`). It counts in integer units, so that frequent refills lose nothing to
 * rounding: a token is one unit per millisecond of the window, and each millisecond adds `rate.requests` units.
 */
import type { Rate } from "#domain/account/Limits.ts"

export interface TokenBucket {
  rate: Rate
  /** Units in the bucket at time `at`. */
  level: number
  /** ms of a monotonic clock. */
  at: number
}

const unitsOfOne = ({ windowSeconds }: Rate): number => windowSeconds * 1_000

/** Units. Below 2^53 for every rate that an operator may set. */
const capacity = (rate: Rate): number => rate.requests * unitsOfOne(rate)

export const full = (rate: Rate, now: number): TokenBucket => ({ rate, level: capacity(rate), at: now })

/**
 * Refills the bucket up to `now` and applies `rate` from then on. Tokens that were taken and not refilled yet stay taken under
 * a new rate: a higher rate admits calls at once, and a lower one adds nothing.
 */
export const refill = (bucket: TokenBucket, rate: Rate, now: number): void => {
  const { requests } = bucket.rate
  const most = capacity(bucket.rate)
  // After a whole window the bucket is full.
  const elapsed = Math.min(Math.max(now - bucket.at, 0), unitsOfOne(bucket.rate))
  bucket.level = Math.min(bucket.level + elapsed * requests, most)
  bucket.at = Math.max(bucket.at, now)
  if (rate.requests === requests && rate.windowSeconds === bucket.rate.windowSeconds) return
  const taken = Math.ceil(((most - bucket.level) / unitsOfOne(bucket.rate)) * unitsOfOne(rate))
  bucket.level = Math.max(0, capacity(rate) - taken)
  bucket.rate = rate
}

/** Whole tokens in the bucket. */
export const remaining = ({ level, rate }: TokenBucket): number => Math.floor(level / unitsOfOne(rate))

/** The caller has checked that `count` tokens remain. */
export const take = (bucket: TokenBucket, count = 1): void => {
  bucket.level -= count * unitsOfOne(bucket.rate)
}

/** Returns one token. */
export const giveBack = (bucket: TokenBucket): void => {
  bucket.level = Math.min(bucket.level + unitsOfOne(bucket.rate), capacity(bucket.rate))
}

/** ms until `count` tokens remain, or until the bucket is full if it never has as many. */
export const untilMs = (bucket: TokenBucket, count: number): number => {
  const wanted = Math.min(count * unitsOfOne(bucket.rate), capacity(bucket.rate))
  return Math.ceil(Math.max(0, wanted - bucket.level) / bucket.rate.requests)
}

/** ms until there is one more token. For a full bucket: the time that one token takes. */
export const untilNextMs = (bucket: TokenBucket): number => {
  const unit = unitsOfOne(bucket.rate)
  return Math.ceil((unit - (bucket.level % unit)) / bucket.rate.requests)
}
