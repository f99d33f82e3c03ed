/** What can be asked of a request. Time, ids and hashes come in with the command. */
import type { HostFault } from "./MediaSchedule.ts"
import type { JudgedOutcome } from "../Outcome.ts"
import type { PayloadRef } from "../PayloadRef.ts"
import type { ErasureReason, RequestSubmitted, StoredMedia } from "./Event.ts"

export type Command =
  /** Accept the request. Repeated under the same id it changes nothing. */
  | { readonly _tag: "Submit"; readonly request: Omit<RequestSubmitted, "_tag"> }
  /** Claim the next run for `node`. */
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
  /** The run ended. `startedAt` when its start has not been recorded: then both are appended at once. */
  | {
      readonly _tag: "RecordOutcome"
      readonly at: number
      readonly attempt: number
      readonly startedAt: number | null
      readonly outcome: JudgedOutcome
    }
  /** `node` goes on with a run of `from`, which is gone: the provider has it as a job that outlives its node. */
  | {
      readonly _tag: "TakeOver"
      readonly at: number
      readonly attempt: number
      readonly from: string
      readonly node: string
    }
  /** The node gives its run back unfinished, to be run again: it is shutting down. */
  | { readonly _tag: "Release"; readonly at: number; readonly attempt: number }
  /** The files of the output are stored; `result` is the output with their URLs, when it had others. */
  | {
      readonly _tag: "RecordMedia"
      readonly at: number
      readonly attempt: number
      readonly media: ReadonlyArray<StoredMedia>
      readonly result: PayloadRef | null
    }
  /** The files of the output will never be had: it is as if the run had failed. */
  | { readonly _tag: "RefuseMedia"; readonly at: number; readonly attempt: number; readonly message: string }
  /** A client asks to cancel. */
  | { readonly _tag: "Cancel"; readonly at: number }
  /** Ends the request if one of its deadlines has passed. */
  | { readonly _tag: "Expire"; readonly at: number }
  /** Ends the request if it has waited for a run for `longestMs`, which is as long as its model lets it. */
  | { readonly _tag: "GiveUpWaiting"; readonly at: number; readonly longestMs: number }
  /** The sweep found run `attempt` gone (`lost`), or the files of its output not stored. */
  | {
      readonly _tag: "SweepRetry"
      readonly at: number
      readonly attempt: number
      readonly reason: "lost" | "media_missing"
    }
  /** A file of the output of run `attempt` is not to be had at its host; `message` is what the request fails with in the end. */
  | {
      readonly _tag: "PostponeMedia"
      readonly at: number
      readonly attempt: number
      readonly fault: HostFault
      readonly message: string
    }
  /** Ends the request if the sweep has retried it often enough and it is old enough (`SweepSchedule`). */
  | { readonly _tag: "ForceFail"; readonly at: number }
  /** Erases input and output of a request that has ended. */
  | { readonly _tag: "Erase"; readonly at: number; readonly reason: ErasureReason }
  /** Whatever of the erased payloads lay outside the log is removed. */
  | { readonly _tag: "RecordRemoved"; readonly at: number }

/** Why a command was refused. */
export type Rejection =
  | { readonly _tag: "RequestNotFound" }
  /** Nothing to claim: another run is under way, the time has not come, or the request has ended. */
  | { readonly _tag: "NotDispatchable" }
  /** What is not over yet cannot be erased. */
  | { readonly _tag: "RequestNotEnded" }
