/** Commands to a delivery. Time, ids and hashes are fields of the command. */
import type { PayloadRef } from "../PayloadRef.ts"
import type { AttemptError, DeliveryScheduled } from "./Event.ts"

/** How an attempt ended: with any 2xx status, or with an error and the receiver's status if it returned one. */
export type AttemptResult =
  | { readonly _tag: "Succeeded"; readonly responseStatus: number }
  | {
      readonly _tag: "Failed"
      readonly responseStatus: number | null
      readonly error: Exclude<AttemptError, "response_too_large">
    }

export type Command =
  /** Schedules the delivery. Repeating it changes nothing. With `node`, that node starts the first attempt at once. */
  | {
      readonly _tag: "Schedule"
      readonly delivery: Omit<DeliveryScheduled, "_tag">
      readonly node: string | null
    }
  /** Claims the next attempt for `node`. */
  | { readonly _tag: "StartAttempt"; readonly at: number; readonly node: string }
  | {
      readonly _tag: "RecordAttempt"
      readonly at: number
      readonly attempt: number
      readonly durationMs: number
      readonly result: AttemptResult
      /** The payload with the receiver's answer, named by `answerName`. */
      readonly answer?: PayloadRef | undefined
    }
  /** Attempt `attempt` of `node` is lost and will never report an end. */
  | { readonly _tag: "LoseAttempt"; readonly at: number; readonly attempt: number; readonly node: string }
  /** Sends it again, whether it was delivered or failed. Changes nothing while a first attempt is already due. */
  | { readonly _tag: "Replay"; readonly at: number }
  /** Sends it again if it has failed. Takes effect once per recovery. */
  | { readonly _tag: "Recover"; readonly at: number; readonly recoveryId: string }
  /** The stored body is unreadable although it was not erased. */
  | { readonly _tag: "Abandon"; readonly at: number }
  /** Erases the body and the answers. A delivery that is not complete fails. */
  | { readonly _tag: "Erase"; readonly at: number }

/**  */
export type Rejection =
  | { readonly _tag: "DeliveryNotFound" }
  /** Nothing to claim: an attempt is under way, it is not due yet, or the delivery has ended. */
  | { readonly _tag: "AttemptNotDue" }
  /** An attempt is under way. */
  | { readonly _tag: "DeliveryInProgress" }
  /** The body is erased. */
  | { readonly _tag: "BodyErased" }
