/** Receives each commit of the log, for metrics. */
import { Context } from "effect"

export interface Commit {
  /** The number of appends in the commit. */
  readonly appends: number
  readonly events: number
  /** Time from the start of the transaction until it was synced to disk. */
  readonly durationMs: number
}

/** Called before the appends are acknowledged. It must neither wait nor throw. */
export const AppendObserver = Context.Reference<(commit: Commit) => void>("inferlog/streams/AppendObserver", {
  defaultValue: () => () => {}
})
