/** What time does to a request that does not end by itself: retries of the sweep, the forced end, and deadlines. */
import type { Command } from "./Command.ts"
import type { Event } from "./Event.ts"
import { isTerminal, type Request } from "./State.ts"
import * as SweepSchedule from "./SweepSchedule.ts"

type SweepRetry = Extract<Command, { readonly _tag: "SweepRetry" }>

/** One retry more, if what the sweep found is still so. */
export const sweepRetry = (command: SweepRetry, state: Request): ReadonlyArray<Event> => {
  const { at, attempt, reason } = command
  if (attempt !== state.attempt || !isStill(command, state)) return []
  if (state.cancelRequested && reason === "lost") {
    return [{ _tag: "RequestCancelled", at, reason: "requested" }]
  }
  const retry = state.sweepRetries + 1
  return [{ _tag: "SweepRetried", at, attempt, reason, retry, dueAt: at + SweepSchedule.delay(retry) }]
}

/** Files that are to be stored later are not missing yet: a retry found twice is counted once. */
const isStill = ({ at, reason }: SweepRetry, { phase }: Request): boolean =>
  reason === "lost"
    ? phase._tag === "Dispatched" || phase._tag === "Running"
    : phase._tag === "Finalizing" && at >= phase.dueAt

/** The forced end, if both its conditions are met. */
export const forceFail = (at: number, state: Request): ReadonlyArray<Event> => {
  const { attempt, phase, submitted, sweepRetries: retries } = state
  if (isTerminal(phase) || !SweepSchedule.isGivenUp(retries, at - submitted.at)) return []
  const message = "The request could not be brought to an end."
  return [{ _tag: "RequestForceFailed", at, attempt, retries, message }]
}

/** Whether a deadline has passed: of the start, when nothing has started it yet, or of the whole. */
export const isExpired = (state: Request, at: number): boolean => {
  const { phase, startedAt, submitted } = state
  const startBy = submitted.deadlines?.startBy
  // A run that is over has started, also when its start was never reported.
  const isStarted = startedAt !== null || phase._tag === "Finalizing"
  return isPastEnd(state, at) || (startBy !== undefined && !isStarted && at >= startBy)
}

/** Whether the time for the whole has passed: what a run has come to after it counts no more. */
export const isPastEnd = ({ submitted }: Request, at: number): boolean => {
  const endBy = submitted.deadlines?.endBy
  return endBy !== undefined && at >= endBy
}

/** Not billed, even when a provider goes on: its later answer is recorded as ignored (decisions, "Deadlines"). */
export const expire = (at: number, state: Request): ReadonlyArray<Event> =>
  !isTerminal(state.phase) && isExpired(state, at)
    ? [{ _tag: "RequestCancelled", at, reason: "expired" }]
    : []
