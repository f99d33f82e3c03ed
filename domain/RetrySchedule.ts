/** When a run that failed with a transport error is retried (decisions, "Retry of transport errors"). */
import { Schema } from "effect"

export const RetrySchedule = Schema.Struct({
  /** Tries after the first one. */
  retries: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 100 })),
  /** Delay before the first retry, ms. It doubles with each further retry. */
  initialDelayMs: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 3_600_000 }))
})
export type RetrySchedule = typeof RetrySchedule.Type

/** Five retries from 250 ms, doubling. */
export const transportErrors: RetrySchedule = { retries: 5, initialDelayMs: 250 }

/**
 * For runs lost with their node. A crash says little about the model, so there are many retries, but a request that crashes
 * nodes must end.
 */
export const lostRuns: RetrySchedule = { retries: 20, initialDelayMs: 250 }

/** For runs lost with the worker that fetched them, which the input may have ended. All lost runs of the request count. */
export const lostWorkers: RetrySchedule = { retries: 3, initialDelayMs: 250 }

const maxDelayMs = 60_000

/** Delay before retry number `retry` (from 1), ms. `null` when none is left. */
export const delay = (schedule: RetrySchedule, retry: number): number | null =>
  retry > schedule.retries ? null : Math.min(schedule.initialDelayMs * 2 ** (retry - 1), maxDelayMs)
