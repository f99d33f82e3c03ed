/** Told of each commit of the log, for whoever measures it. */
import { Context } from "effect"

export interface Commit {
  /** Appends that shared it. */
  readonly appends: number
  readonly events: number
  /** From the begin of its transaction until it was synced to disk. */
  readonly durationMs: number
}

/** Called before the appends are acknowledged: it must neither wait nor throw. */
export const AppendObserver = Context.Reference<(commit: Commit) => void>("inferlog/streams/AppendObserver", {
  defaultValue: () => () => {}
})
