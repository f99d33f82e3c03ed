/** When a run that failed in transport is tried again (decisions, "Retry of transport errors"). */
import { Schema } from "effect"

export const RetrySchedule = Schema.Struct({
  /** Further tries after the first. */
  retries: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 100 })),
  /** Delay before the first retry in ms; each further one doubles it. */
  initialDelayMs: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 3_600_000 }))
})
export type RetrySchedule = typeof RetrySchedule.Type

/** Five retries from 250 ms, doubling. */
export const transportErrors: RetrySchedule = { retries: 5, initialDelayMs: 250 }

/** A run lost with its node (a crash) says nothing about the model: patient, but a request that kills nodes must end. */
export const lostRuns: RetrySchedule = { retries: 20, initialDelayMs: 250 }

const longestDelayMs = 60_000

/** Delay in ms before retry `retry` (the first is 1), or `null` when none is left. */
export const delay = (schedule: RetrySchedule, retry: number): number | null =>
  retry > schedule.retries ? null : Math.min(schedule.initialDelayMs * 2 ** (retry - 1), longestDelayMs)
