/** How many deliveries one node sends at once. */
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
  /** Of bodies in memory, bytes; a larger one is sent alone. */
  readonly bytes: number
}

/** A slot is held for 15 s by a receiver that never answers: a thousand of those do not take all that one account may have. */
export const DeliveryLimits = Context.Reference<DeliveryLimits>("inferlog/src/reactors/DeliveryLimits", {
  defaultValue: () => ({
    inAll: 2_048,
    perAccount: 1_536,
    silent: 1_536,
    silentPerAccount: 1_024,
    perSilentLane: 8,
    perLane: 64,
    perReceiver: 128,
    bytes: 256 * 1024 * 1024
  })
})
