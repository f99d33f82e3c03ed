/** Limits the memory for bodies: in total, per account and per receiver, so that none of them takes all of it. */
import type { DeliveryLimits } from "./DeliveryLimits.ts"
import * as Counters from "./Counters.ts"
import type { Lane } from "./Lane.ts"

export interface BodyBytes {
  /** False without room. A body too large for its share is accepted if its owner has no other. */
  readonly take: (lane: Lane, bytes: number) => boolean
  readonly giveBack: (lane: Lane, bytes: number) => void
}

type Limits = Pick<DeliveryLimits, "bytes" | "bytesPerAccount" | "bytesPerReceiver">

export const make = (limits: Limits): BodyBytes => {
  const ofAccounts = Counters.make()
  const ofReceivers = Counters.make()
  let inAll = 0

  const fits = (used: number, bytes: number, most: number) => used === 0 || used + bytes <= most

  const add = ({ accountId, origin }: Lane, bytes: number) => {
    inAll += bytes
    ofAccounts.add(accountId, bytes)
    ofReceivers.add(origin, bytes)
  }

  return {
    take: (lane, bytes) => {
      const hasRoom =
        fits(inAll, bytes, limits.bytes) &&
        fits(ofAccounts.get(lane.accountId), bytes, limits.bytesPerAccount) &&
        fits(ofReceivers.get(lane.origin), bytes, limits.bytesPerReceiver)
      if (hasRoom) add(lane, bytes)
      return hasRoom
    },
    giveBack: (lane, bytes) => add(lane, -bytes)
  }
}
