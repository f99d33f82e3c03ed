/** Token buckets by the name of whoever they limit; in memory alone. */
import type { Rate } from "#domain/account/Limits.ts"
import * as RecentlyUsed from "#streams/RecentlyUsed.ts"
import * as TokenBucket from "./TokenBucket.ts"

/** The bucket of that name as of `now`, under that rate from now on; a full one for who has none. */
export type TokenBuckets = (name: string, rate: Rate, now: number) => TokenBucket.TokenBucket

/**
 * @param capacity of those that are kept; half as many of those used last. One that is dropped meanwhile is full when its
 * owner comes back: after so many others, it mostly would be.
 */
export const make = (capacity: number): TokenBuckets => {
  const buckets = RecentlyUsed.make<TokenBucket.TokenBucket>({ capacity })
  return (name, rate, now) => {
    const known = buckets.get(name)
    if (known !== undefined) {
      TokenBucket.refill(known, rate, now)
      return known
    }
    const made = TokenBucket.full(rate, now)
    buckets.set(name, made)
    return made
  }
}

/** Those that have nothing left. */
export const empty = (
  buckets: ReadonlyArray<TokenBucket.TokenBucket>
): ReadonlyArray<TokenBucket.TokenBucket> => buckets.filter((bucket) => TokenBucket.remaining(bucket) === 0)

/** Whole seconds, at least 1, until each of them has one more. */
export const secondsUntilAll = (buckets: ReadonlyArray<TokenBucket.TokenBucket>): number =>
  Math.max(1, ...buckets.map((bucket) => Math.ceil(TokenBucket.untilNextMs(bucket) / 1_000)))
