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

/** As a client is told to wait: whole seconds, at least 1. */
export const wholeSeconds = (ms: number): number => Math.max(1, Math.ceil(ms / 1_000))

/** Takes one from each of them and gives 0, or takes nothing: whole seconds until each has one. */
export const takeOfAll = (buckets: ReadonlyArray<TokenBucket.TokenBucket>): number => {
  const empty = buckets.filter((bucket) => TokenBucket.remaining(bucket) === 0)
  if (empty.length > 0) return wholeSeconds(Math.max(...empty.map(TokenBucket.untilNextMs)))
  for (const bucket of buckets) TokenBucket.take(bucket)
  return 0
}
