/** Rate limits of unauthenticated calls, per client address and in total. In memory: the buckets are full after a start. */
import { Clock, Effect } from "effect"
import type { Rate } from "#domain/account/Limits.ts"
import * as TokenBucket from "#src/kernel/limits/TokenBucket.ts"
import * as TokenBuckets from "#src/kernel/limits/TokenBuckets.ts"
import * as MonotonicTime from "#src/kernel/time/MonotonicTime.ts"
import { groupOf, privateAddresses } from "#src/edges/http/edge/AddressGroup.ts"

/** Addresses in memory. A forgotten one starts with a full bucket. */
const knownAddresses = 10_000

/** Takes one call and returns 0, or returns the whole seconds until the address may call again. */
export type AddressRateLimit = (address: string) => number

export interface Rates {
  /** One public address (`AddressGroup.groupOf`). */
  readonly ofAddress: Rate
  /** All private addresses together. They do not use up the rate of public ones. */
  readonly ofHouse: Rate
  /** All addresses together: what this node can handle. Far above the other rates, because reaching it delays every client. */
  readonly ofAll: Rate
}

export const make = Effect.fnUntraced(function* ({ ofAddress, ofAll, ofHouse }: Rates) {
  const clock = yield* Clock.Clock
  const all = TokenBucket.full(ofAll, MonotonicTime.millisOf(clock))
  const addresses = TokenBuckets.make(knownAddresses)

  const take: AddressRateLimit = (address) => {
    const now = MonotonicTime.millisOf(clock)
    TokenBucket.refill(all, ofAll, now)
    const source = groupOf(address)
    return TokenBuckets.takeOfAll([
      all,
      addresses(source, source === privateAddresses ? ofHouse : ofAddress, now)
    ])
  }
  return take
})
