/** What the deadlines of a request do (decisions, "Deadlines"). */
import type { Command } from "./Command.ts"
import type { Event } from "./Event.ts"
import { isTerminal, type Request } from "./State.ts"

/** Whether the time for the whole has passed: what a run has come to after it counts no more. */
export const isPastEnd = ({ submitted }: Request, at: number): boolean => {
  const endBy = submitted.deadlines?.endBy
  return endBy !== undefined && at >= endBy
}

/** Not billed, even when a provider goes on: its later answer is recorded as ignored. */
export const expire = (at: number, state: Request): ReadonlyArray<Event> =>
  !isTerminal(state.phase) && isExpired(state, at)
    ? [{ _tag: "RequestCancelled", at, reason: "expired" }]
    : []

/** What falls due later, as a retry does, waits from then on. */
export const giveUpWaiting = (
  { at, longestMs }: Extract<Command, { readonly _tag: "GiveUpWaiting" }>,
  { phase }: Request
): ReadonlyArray<Event> =>
  phase._tag === "Queued" && at - phase.dueAt >= longestMs
    ? [{ _tag: "RequestCancelled", at, reason: "expired", limit: "queue_timeout" }]
    : []

/** Whether a deadline has passed: of the start, when nothing has started it yet, or of the whole. */
const isExpired = (state: Request, at: number): boolean => {
  const { phase, startedAt, submitted } = state
  const startBy = submitted.deadlines?.startBy
  // A run that is over has started, also when its start was never reported.
  const isStarted = startedAt !== null || phase._tag === "Finalizing"
  return isPastEnd(state, at) || (startBy !== undefined && !isStarted && at >= startBy)
}
