/** How many deliveries one node sends at once. */
import { Context } from "effect"

export interface DeliveryLimits {
  readonly inAll: number
  /** Of one account: some places are always another one's. */
  readonly perAccount: number
  /** To receivers that did not answer the last time: some places are always for those that do. */
  readonly silent: number
  /** To one receiver, once it has answered as often. */
  readonly perReceiver: number
  /** To one that has not been sent anything yet: nobody is hit by a backlog at once. */
  readonly firstWindow: number
  /** Of bodies in memory, bytes; a larger one is sent alone. */
  readonly bytes: number
}

/**
 * A place is held for 15 s by a receiver that never answers. So a thousand of those at once, of one account, leave a
 * third of its places free; from their second attempt on they share half of all.
 */
export const DeliveryLimits = Context.Reference<DeliveryLimits>("inferlog/src/reactors/DeliveryLimits", {
  defaultValue: () => ({
    inAll: 2_048,
    perAccount: 1_536,
    silent: 1_024,
    perReceiver: 64,
    firstWindow: 4,
    bytes: 256 * 1024 * 1024
  })
})
