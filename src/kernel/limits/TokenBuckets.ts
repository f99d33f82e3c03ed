/** Token buckets by key, such as an account or an address. In memory only: all buckets are full after a start. */
import type { Rate } from "#domain/account/Limits.ts"
import * as RecentlyUsed from "#streams/RecentlyUsed.ts"
import * as TokenBucket from "./TokenBucket.ts"

/** Returns the bucket of `key`, refilled up to `now` and under `rate` from now on. A new key gets a full bucket. */
export type TokenBuckets = (key: string, rate: Rate, now: number) => TokenBucket.TokenBucket

/**
 * @param capacity the most buckets in memory. The most recently used half is never dropped. A dropped bucket starts full
 * again, which it mostly would be after so many other keys.
 */
export const make = (capacity: number): TokenBuckets => {
  const buckets = RecentlyUsed.make<TokenBucket.TokenBucket>({ capacity })
  return (key, rate, now) => {
    const known = buckets.get(key)
    if (known !== undefined) {
      TokenBucket.refill(known, rate, now)
      return known
    }
    const made = TokenBucket.full(rate, now)
    buckets.set(key, made)
    return made
  }
}

/** Converts a wait to the whole seconds of `Retry-After`, at least 1. */
export const wholeSeconds = (ms: number): number => Math.max(1, Math.ceil(ms / 1_000))

/** Takes one token from every bucket and returns 0, or takes nothing and returns the whole seconds until each has one. */
export const takeOfAll = (buckets: ReadonlyArray<TokenBucket.TokenBucket>): number => {
  const empty = buckets.filter((bucket) => TokenBucket.remaining(bucket) === 0)
  if (empty.length > 0) return wholeSeconds(Math.max(...empty.map(TokenBucket.untilNextMs)))
  for (const bucket of buckets) TokenBucket.take(bucket)
  return 0
}
