/** What time does to a request that does not end by itself: retries of the sweep, the forced end, and deadlines. */
import type { Command } from "./Command.ts"
import type { Event } from "./Event.ts"
import { isTerminal, type Request } from "./State.ts"
import * as SweepSchedule from "./SweepSchedule.ts"

type SweepRetry = Extract<Command, { readonly _tag: "SweepRetry" }>

/** One retry more, if what the sweep found is still so. */
export const sweepRetry = (command: SweepRetry, state: Request): ReadonlyArray<Event> => {
  const { at, attempt, reason } = command
  if (attempt !== state.attempt || !isStill(reason, state)) return []
  if (state.cancelRequested && reason === "lost") {
    return [{ _tag: "RequestCancelled", at, reason: "requested" }]
  }
  const retry = state.sweepRetries + 1
  return [{ _tag: "SweepRetried", at, attempt, reason, retry, dueAt: at + SweepSchedule.delay(retry) }]
}

const isStill = (reason: SweepRetry["reason"], { phase }: Request): boolean =>
  reason === "lost" ? phase._tag === "Dispatched" || phase._tag === "Running" : phase._tag === "Finalizing"

/** The forced end, if both its conditions are met. */
export const forceFail = (at: number, state: Request): ReadonlyArray<Event> => {
  const { attempt, phase, submitted, sweepRetries: retries } = state
  if (isTerminal(phase) || !SweepSchedule.isGivenUp(retries, at - submitted.at)) return []
  const message = "The request could not be brought to an end."
  return [{ _tag: "RequestForceFailed", at, attempt, retries, message }]
}

/** Whether a deadline has passed: of the start, when nothing has started it yet, or of the whole. */
export const isExpired = ({ startedAt, submitted: { deadlines } }: Request, at: number): boolean => {
  const { endBy, startBy } = deadlines ?? {}
  return (
    (endBy !== undefined && at >= endBy) || (startBy !== undefined && startedAt === null && at >= startBy)
  )
}

/** Not billed, even when a provider goes on: its later answer is recorded as ignored (decisions, "Deadlines"). */
export const expire = (at: number, state: Request): ReadonlyArray<Event> =>
  !isTerminal(state.phase) && isExpired(state, at)
    ? [{ _tag: "RequestCancelled", at, reason: "expired" }]
    : []
