/** What can be asked of a delivery. Time, ids and hashes come in with the command. */
import type { AttemptError, DeliveryScheduled } from "./Event.ts"

/** How an attempt ended: any 2xx, or an error, with the receiver's status when it gave one. */
export type AttemptResult =
  | { readonly _tag: "Succeeded"; readonly responseStatus: number }
  | {
      readonly _tag: "Failed"
      readonly responseStatus: number | null
      readonly error: Exclude<AttemptError, "response_too_large">
    }

export type Command =
  /** Owe the delivery. Repeated it changes nothing. With `node`, that node begins the first attempt at once. */
  | {
      readonly _tag: "Schedule"
      readonly delivery: Omit<DeliveryScheduled, "_tag">
      readonly node: string | null
    }
  /** Claim the next attempt for `node`. */
  | { readonly _tag: "StartAttempt"; readonly at: number; readonly node: string }
  | {
      readonly _tag: "RecordAttempt"
      readonly at: number
      readonly attempt: number
      readonly durationMs: number
      readonly result: AttemptResult
    }
  /** Attempt `attempt` of `node` has no end, and will have none. */
  | { readonly _tag: "LoseAttempt"; readonly at: number; readonly attempt: number; readonly node: string }
  /** Send it again, whatever became of it. While it waits to be sent at once this changes nothing. */
  | { readonly _tag: "Replay"; readonly at: number }
  /** Send it again if it has failed. Once for each recovery. */
  | { readonly _tag: "Recover"; readonly at: number; readonly recoveryId: string }
  /** The frozen body cannot be had any more, though nobody erased it. */
  | { readonly _tag: "Abandon"; readonly at: number }
  /** Erase the body; what has not been delivered by then never will be. */
  | { readonly _tag: "Erase"; readonly at: number }

/** Why a command was refused. */
export type Rejection =
  | { readonly _tag: "DeliveryNotFound" }
  /** Nothing to claim: an attempt is under way, the time has not come, or it is over. */
  | { readonly _tag: "AttemptNotDue" }
  /** It is being sent just now. */
  | { readonly _tag: "DeliveryInProgress" }
  /** There is nothing left to send. */
  | { readonly _tag: "BodyErased" }
