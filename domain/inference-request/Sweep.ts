/** Stuck requests: the retries of the sweep, and the forced end. */
import type { Command } from "./Command.ts"
import type { Event } from "./Event.ts"
import * as Deadlines from "./Deadlines.ts"
import * as MediaSchedule from "./MediaSchedule.ts"
import { isTerminal, type Request } from "./State.ts"
import * as SweepSchedule from "./SweepSchedule.ts"

type SweepRetry = Extract<Command, { readonly _tag: "SweepRetry" }>
type PostponeMedia = Extract<Command, { readonly _tag: "PostponeMedia" }>

/** Retries the request if the sweep's finding is still true. */
export const sweepRetry = (command: SweepRetry, state: Request): ReadonlyArray<Event> => {
  const { at, attempt, reason } = command
  if (attempt !== state.attempt || !isStillStuck(command, state)) return []
  if (state.cancelRequested && reason === "lost") {
    return [{ _tag: "RequestCancelled", at, reason: "requested" }]
  }
  const retry = state.sweepRetries + 1
  return [{ _tag: "SweepRetried", at, attempt, reason, retry, dueAt: at + SweepSchedule.delay(retry) }]
}

/** Files that are due later do not count as missing, so that a retry found twice counts once. */
const isStillStuck = ({ at, reason }: Pick<SweepRetry, "at" | "reason">, { phase }: Request): boolean =>
  reason === "lost"
    ? phase._tag === "Dispatched" || phase._tag === "Running"
    : phase._tag === "Finalizing" && at >= phase.dueAt

/**
 * Retries the download from the host, or fails the request, so that a missing file does not block the request and its hold.
 */
export const postponeMedia = (command: PostponeMedia, state: Request): ReadonlyArray<Event> => {
  const { at, attempt, message } = command
  const reason = "media_missing"
  if (attempt !== state.attempt || !isStillStuck({ at, reason }, state)) return []
  if (Deadlines.isPastEnd(state, at)) return Deadlines.expire(at, state)
  const delay = MediaSchedule.delay(state.mediaRetries)
  if (delay === null) return [{ _tag: "RequestFailed", at, attempt, reason, message }]
  const retry = state.sweepRetries + 1
  return [{ _tag: "SweepRetried", at, attempt, reason, host: "unreachable", retry, dueAt: at + delay }]
}

/** The forced end, if both of its conditions are met. */
export const forceFail = (at: number, state: Request): ReadonlyArray<Event> => {
  const { attempt, phase, submitted, sweepRetries: retries } = state
  if (isTerminal(phase) || !SweepSchedule.isGivenUp(retries, at - submitted.at)) return []
  const message = "The request could not be brought to an end."
  return [{ _tag: "RequestForceFailed", at, attempt, retries, message }]
}
