/**
 * A bucket of tokens that fills up by and by (`domain/account/Limits.Rate`). All in integers: a token is as many units as its
 * window has milliseconds, and each millisecond brings as many units as the rate has requests, so that nothing is lost to
 * rounding however often it is looked at.
 */
import type { Rate } from "#domain/account/Limits.ts"

export interface TokenBucket {
  rate: Rate
  /** What is in it, in units. */
  level: number
  /** Since when, ms of a clock that is never set back. */
  at: number
}

const unitsOfOne = ({ windowSeconds }: Rate): number => windowSeconds * 1_000

/** Below 2^53 for every rate that an operator may set. */
const capacity = (rate: Rate): number => rate.requests * unitsOfOne(rate)

export const full = (rate: Rate, now: number): TokenBucket => ({ rate, level: capacity(rate), at: now })

/**
 * Brings it up to `now`. A new rate is in force from then on, and what was taken and has not come back counts under it: a
 * higher one lets go on at once, and a lower one gives nothing on top.
 */
export const refill = (bucket: TokenBucket, rate: Rate, now: number): void => {
  const { requests } = bucket.rate
  const most = capacity(bucket.rate)
  // Whoever comes after a whole window finds it full.
  const elapsed = Math.min(Math.max(now - bucket.at, 0), unitsOfOne(bucket.rate))
  bucket.level = Math.min(bucket.level + elapsed * requests, most)
  bucket.at = Math.max(bucket.at, now)
  if (rate.requests === requests && rate.windowSeconds === bucket.rate.windowSeconds) return
  const taken = Math.ceil(((most - bucket.level) / unitsOfOne(bucket.rate)) * unitsOfOne(rate))
  bucket.level = Math.max(0, capacity(rate) - taken)
  bucket.rate = rate
}

/** Whole tokens that are there. */
export const remaining = ({ level, rate }: TokenBucket): number => Math.floor(level / unitsOfOne(rate))

/** Only where so many remain. */
export const take = (bucket: TokenBucket, count = 1): void => {
  bucket.level -= count * unitsOfOne(bucket.rate)
}

/** One that was taken. */
export const giveBack = (bucket: TokenBucket): void => {
  bucket.level = Math.min(bucket.level + unitsOfOne(bucket.rate), capacity(bucket.rate))
}

/** Until so many remain, or all that it holds if that is less, ms. */
export const untilMs = (bucket: TokenBucket, count: number): number => {
  const wanted = Math.min(count * unitsOfOne(bucket.rate), capacity(bucket.rate))
  return Math.ceil(Math.max(0, wanted - bucket.level) / bucket.rate.requests)
}

/** Until there is one more, or the first again if it is full, ms. */
export const untilNextMs = (bucket: TokenBucket): number => {
  const unit = unitsOfOne(bucket.rate)
  return Math.ceil((unit - (bucket.level % unit)) / bucket.rate.requests)
}
