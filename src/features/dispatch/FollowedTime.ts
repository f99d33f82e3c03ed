/**
 * How long a run has been seen to be at work, for what is billed by the second where the provider does not measure it. A run
 * outlives the process that follows it: what nobody saw is not the client's to pay.
 */
import type { Request } from "#domain/inference-request/State.ts"

/** Since when a run has been followed without a gap. Unix time in ms, as `now`. */
export interface Followed {
  readonly now: number
  /** `null` when nobody follows it. */
  readonly since: number | null
}

/** From its start to the last sign of it, and what has been followed since; never more than it can have run. */
export const seconds = ({ phase }: Request, { now, since }: Followed): number => {
  if (phase._tag !== "Running") return 0
  const { heardAt = phase.runStartedAt, runStartedAt } = phase
  const followed = since === null ? 0 : now - since
  const seen = Math.max(heardAt - runStartedAt, 0) + Math.max(followed, 0)
  return Math.max(Math.min(now - runStartedAt, seen), 0) / 1_000
}
