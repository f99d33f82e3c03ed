/** Commands to a request. Time, ids and hashes are fields of the command. */
import type { JudgedOutcome } from "../Outcome.ts"
import type { PayloadRef } from "../PayloadRef.ts"
import type { ErasureReason, RequestSubmitted, StoredMedia } from "./Event.ts"

export type Command =
  /** Accepts the request. Repeating it with the same id changes nothing. */
  | { readonly _tag: "Submit"; readonly request: Omit<RequestSubmitted, "_tag"> }
  /** Claims the next run for `node`. */
  | { readonly _tag: "Dispatch"; readonly at: number; readonly provider: string; readonly node: string }
  | { readonly _tag: "RecordAccepted"; readonly at: number; readonly attempt: number; readonly jobId: string }
  | { readonly _tag: "RecordStarted"; readonly at: number; readonly attempt: number }
  | {
      readonly _tag: "RecordProgress"
      readonly at: number
      readonly attempt: number
      readonly fraction: number | null
      readonly logs: ReadonlyArray<string>
    }
  /** The run ended. `startedAt` is set when its start has not been recorded: then both events are appended at once. */
  | {
      readonly _tag: "RecordOutcome"
      readonly at: number
      readonly attempt: number
      readonly startedAt: number | null
      readonly outcome: JudgedOutcome
    }
  /** `node` continues a run of `from`, a node that is gone: the provider's job outlives its node. */
  | {
      readonly _tag: "TakeOver"
      readonly at: number
      readonly attempt: number
      readonly from: string
      readonly node: string
    }
  /** The node is shutting down and returns its unfinished run to the queue. */
  | { readonly _tag: "Release"; readonly at: number; readonly attempt: number }
  /** The files of the output are stored. `result` is the output with their URLs, if it had other URLs. */
  | {
      readonly _tag: "RecordMedia"
      readonly at: number
      readonly attempt: number
      readonly media: ReadonlyArray<StoredMedia>
      readonly result: PayloadRef | null
    }
  /** The files of the output can never be stored. The run counts as failed. */
  | { readonly _tag: "RefuseMedia"; readonly at: number; readonly attempt: number; readonly message: string }
  /** A client cancels the request. */
  | { readonly _tag: "Cancel"; readonly at: number }
  /** Ends the request if one of its deadlines has passed. */
  | { readonly _tag: "Expire"; readonly at: number }
  /** Ends the request if it has waited for a run for `maxWaitMs`, the limit of its model. */
  | { readonly _tag: "GiveUpWaiting"; readonly at: number; readonly maxWaitMs: number }
  /** The sweep found that run `attempt` is gone (`lost`), or that files of its output are missing. */
  | {
      readonly _tag: "SweepRetry"
      readonly at: number
      readonly attempt: number
      readonly reason: "lost" | "media_missing"
    }
  /**
   * The host of a file in the output of run `attempt` did not return it. `message` is the error if the request fails for
   * that.
   */
  | {
      readonly _tag: "PostponeMedia"
      readonly at: number
      readonly attempt: number
      readonly message: string
    }
  /** Ends the request if it is old enough and the sweep has retried it often enough (`SweepSchedule`). */
  | { readonly _tag: "ForceFail"; readonly at: number }
  /** Erases input and output of an ended request. */
  | { readonly _tag: "Erase"; readonly at: number; readonly reason: ErasureReason }
  /** Everything of the erased payloads outside the log is removed. */
  | { readonly _tag: "RecordRemoved"; readonly at: number }

/**  */
export type Rejection =
  | { readonly _tag: "RequestNotFound" }
  /** Nothing to claim: another run is under way, it is not due yet, or the request has ended. */
  | { readonly _tag: "NotDispatchable" }
  /** Only an ended request can be erased. */
  | { readonly _tag: "RequestNotEnded" }
