/**
 * What the world still owes a request. A reactor that was woken re-reads the request and obeys this, so that replays,
 * duplicates and restarts are harmless.
 */
import type { Request, Run } from "./State.ts"

export type NextAction =
  /** Claim and run it, not before `dueAt`. */
  | { readonly _tag: "Dispatch"; readonly dueAt: number }
  /** A run is under way at `run.node`: leave it, or take it over when that node is gone. */
  | { readonly _tag: "AwaitOutcome"; readonly run: Run }
  /** The client gave up: the provider is to stop the run. */
  | { readonly _tag: "StopRun"; readonly run: Run }
  /** The files that the output names are to be stored, not before `dueAt`; node `run.node` may be at it. */
  | { readonly _tag: "Finalize"; readonly run: Run; readonly dueAt: number }
  /** What lies outside the log of payloads that were erased is to be removed. */
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
