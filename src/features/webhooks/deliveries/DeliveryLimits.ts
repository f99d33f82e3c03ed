/** How many deliveries one node sends at once. */
import * as v8 from "node:v8"
import { Context } from "effect"

export interface DeliveryLimits {
  readonly inAll: number
  /** Of one account: some are always another one's. */
  readonly perAccount: number
  /** In silent lanes: some are always for those that answer. */
  readonly silent: number
  /** In silent lanes of one account. */
  readonly silentPerAccount: number
  /** In a silent lane while there are few: one URL that hangs there does not keep the others waiting. */
  readonly perSilentLane: number
  /** The widest window of a lane. */
  readonly perLane: number
  /** To one receiver, of all accounts: more than in one lane, so that none of them has it to itself. */
  readonly perReceiver: number
  /** Of bodies in memory, bytes; a larger one is made and sent alone. */
  readonly bytes: number
  /** Of one account, and of one receiver; a larger one is its only one. */
  readonly bytesPerAccount: number
  readonly bytesPerReceiver: number
}

/** Of the heap, whose size tells how much memory the process may have; bodies stand beside it for the most part. */
const bytes = () => Math.min(256 * 1024 * 1024, Math.floor(v8.getHeapStatistics().heap_size_limit / 4))

/** A slot is held for 15 s by a receiver that never answers: a thousand of those do not take all that one account may have. */
export const DeliveryLimits = Context.Reference<DeliveryLimits>(
  "inferlog/src/features/webhooks/deliveries/DeliveryLimits",
  {
    defaultValue: () => ({
      inAll: 2_048,
      perAccount: 1_536,
      silent: 1_536,
      silentPerAccount: 1_024,
      perSilentLane: 8,
      perLane: 64,
      perReceiver: 128,
      bytes: bytes(),
      bytesPerAccount: Math.floor((bytes() * 3) / 4),
      bytesPerReceiver: Math.floor(bytes() / 2)
    })
  }
)
