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
  | { readonly _tag: "None" }

export const nextAction = (request: Request): NextAction => {
  const { phase } = request
  switch (phase._tag) {
    case "Queued":
      return { _tag: "Dispatch", dueAt: phase.dueAt }
    case "Dispatched":
    case "Running":
      return { _tag: request.cancelRequested ? "StopRun" : "AwaitOutcome", run: phase.run }
    case "Completed":
    case "Failed":
    case "Cancelled":
      return { _tag: "None" }
  }
}
