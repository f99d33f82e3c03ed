/** What can be asked of a request. Time, ids and hashes come in with the command. */
import type { JudgedOutcome } from "../Outcome.ts"
import type { RequestSubmitted } from "./Event.ts"

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
  /** The node gives its run back unfinished, to be run again: it is shutting down. */
  | { readonly _tag: "Release"; readonly at: number; readonly attempt: number }
  /** A client asks to cancel. */
  | { readonly _tag: "Cancel"; readonly at: number }

/** Why a command was refused. */
export type Rejection =
  | { readonly _tag: "RequestNotFound" }
  /** Nothing to claim: another run is under way, the time has not come, or the request has ended. */
  | { readonly _tag: "NotDispatchable" }
