/** The time limit of what a run waits for, without a fiber of its own. */
import type { Model } from "#domain/catalog/Model.ts"
import type { Request } from "#domain/inference-request/State.ts"
import type { Waiting } from "#src/kernel/async/Later.ts"
import type { Deadlines } from "#src/kernel/time/Deadlines.ts"

export interface TimeLimit {
  readonly ms: number
  /** Called at the limit. What is waited for may react to it, and is interrupted `graceMs` later. */
  readonly onExpiry: () => void
  readonly graceMs: number
}

/** Remaining time of a run that was taken over past its model's limit, to collect its end, ms. */
const collectingMs = 5_000

/** The rest of the model's limit, ms. `takenOverAt`: Unix time in ms; `null` for a run of this node. */
export const msOf = ({ timeoutSeconds }: Model, { phase }: Request, takenOverAt: number | null): number => {
  const limit = timeoutSeconds * 1_000
  return takenOverAt !== null && phase._tag === "Running"
    ? Math.max(limit - Math.max(takenOverAt - phase.runStartedAt, 0), Math.min(limit, collectingMs))
    : limit
}

/** Call the result when it has ended. */
export const begin = (
  waiting: Waiting,
  deadlines: Deadlines,
  { graceMs, ms, onExpiry }: TimeLimit
): (() => void) => {
  let cancel = deadlines.after(ms, () => {
    cancel = deadlines.after(graceMs, waiting.interrupt)
    onExpiry()
  })
  return () => cancel()
}
