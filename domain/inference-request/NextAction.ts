/**
 * What must happen next to a request. A reactor that wakes reads the request again and does this, so replays, duplicates and
 * restarts are harmless.
 */
import type { Request, Run } from "./State.ts"

export type NextAction =
  /** Claim it and run it at or after `dueAt`. */
  | { readonly _tag: "Dispatch"; readonly dueAt: number }
  /** A run is under way on `run.node`: leave it, or take it over if that node is gone. */
  | { readonly _tag: "AwaitOutcome"; readonly run: Run }
  /** The client cancelled: the provider must stop the run. */
  | { readonly _tag: "StopRun"; readonly run: Run }
  /** The files that the output names must be stored at or after `dueAt`. Node `run.node` may be doing it. */
  | { readonly _tag: "Finalize"; readonly run: Run; readonly dueAt: number }
  /** Data of erased payloads outside the log must be removed. */
  | { readonly _tag: "RemoveFiles" }
  | { readonly _tag: "None" }

export const nextAction = (request: Request): NextAction => {
  const { phase } = request
  switch (phase._tag) {
    case "Queued":
      return { _tag: "Dispatch", dueAt: phase.dueAt }
    case "Dispatched":
    case "Running":
      return { _tag: request.cancelRequested ? "StopRun" : "AwaitOutcome", run: phase.run }
    case "Finalizing":
      return { _tag: "Finalize", run: phase.run, dueAt: phase.dueAt }
    case "Completed":
    case "Failed":
    case "Cancelled":
      return { _tag: request.erasure?.hasFiles === true ? "RemoveFiles" : "None" }
  }
}
