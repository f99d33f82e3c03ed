/** How often something may be asked for from one address, and in all. In memory: after a start the buckets are full. */
import { Clock, Effect } from "effect"
import type { Rate } from "#domain/account/Limits.ts"
import * as TokenBucket from "#src/features/accounts/TokenBucket.ts"
import * as TokenBuckets from "#src/features/accounts/TokenBuckets.ts"
import * as MonotonicTime from "#src/kernel/time/MonotonicTime.ts"
import { groupOf, privateAddresses } from "#src/edges/http/edge/AddressGroup.ts"

/** Addresses that are remembered; one that is forgotten begins anew. */
const knownAddresses = 10_000

/** Takes one call of the address, or none: 0 when it may go on, else whole seconds until it may come again. */
export type Throttle = (address: string) => number

export interface Rates {
  /** Of one public address (`SignInLimits.sourceOf`). */
  readonly ofAddress: Rate
  /** Of all addresses that are not public together: public ones are not kept waiting by them. */
  readonly ofHouse: Rate
  /** What this node can take in. Whoever reaches it keeps everybody waiting, so it is far above the others. */
  readonly ofAll: Rate
}

export const make = Effect.fnUntraced(function* ({ ofAddress, ofAll, ofHouse }: Rates) {
  const clock = yield* Clock.Clock
  const all = TokenBucket.full(ofAll, MonotonicTime.millisOf(clock))
  const addresses = TokenBuckets.make(knownAddresses)

  const throttle: Throttle = (address) => {
    const now = MonotonicTime.millisOf(clock)
    TokenBucket.refill(all, ofAll, now)
    const source = groupOf(address)
    return TokenBuckets.takeOfAll([
      all,
      addresses(source, source === privateAddresses ? ofHouse : ofAddress, now)
    ])
  }
  return throttle
})
