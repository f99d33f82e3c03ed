/** Limits of the deliveries that one node sends at the same time. */
import * as v8 from "node:v8"
import { Context } from "effect"

export interface DeliveryLimits {
  readonly inAll: number
  /** For one account, which leaves some to others. */
  readonly perAccount: number
  /** In silent lanes, which leaves some to receivers that answer. */
  readonly silent: number
  /** In silent lanes of one account. */
  readonly silentPerAccount: number
  /** In a silent lane while there are few, so that one hanging URL does not block the others. */
  readonly perSilentLane: number
  /** The widest window of a lane. */
  readonly perLane: number
  /** To one receiver, over all accounts: more than in one lane, so that no lane takes all. */
  readonly perReceiver: number
  /** Bytes of bodies in memory; a larger one is made and sent alone. */
  readonly bytes: number
  /** For one account and for one receiver; a larger one is its only one. */
  readonly bytesPerAccount: number
  readonly bytesPerReceiver: number
}

/** Share of the heap, whose size reflects the process's memory; most bodies are outside it. */
const bytes = () => Math.min(256 * 1024 * 1024, Math.floor(v8.getHeapStatistics().heap_size_limit / 4))

/** A receiver that never answers holds a slot for 15 s: a thousand of them must not take an account's share. */
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
