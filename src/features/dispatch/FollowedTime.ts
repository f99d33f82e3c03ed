/** How long a run was observed at work, for billing by the second. A client does not pay for time not observed. */
import type { Request } from "#domain/inference-request/State.ts"

/** The start of the current observation, and `now`: Unix time in ms. */
export interface Followed {
  readonly now: number
  /** `null` if it is not observed. */
  readonly since: number | null
}

/** From the start to the last sign of the run, plus the current observation; at most the time that it can have run. */
export const seconds = ({ phase }: Request, { now, since }: Followed): number => {
  if (phase._tag !== "Running") return 0
  const { heardAt = phase.runStartedAt, runStartedAt } = phase
  const followed = since === null ? 0 : now - since
  const seen = Math.max(heardAt - runStartedAt, 0) + Math.max(followed, 0)
  return Math.max(Math.min(now - runStartedAt, seen), 0) / 1_000
}
