/** The deadlines of a request (decisions, "Deadlines"). */
import type { Command } from "./Command.ts"
import type { Event } from "./Event.ts"
import { isTerminal, type Request } from "./State.ts"

/** Whether the deadline of the end has passed. Results of a run no longer count after it. */
export const isPastEnd = ({ submitted }: Request, at: number): boolean => {
  const endBy = submitted.deadlines?.endBy
  return endBy !== undefined && at >= endBy
}

/** Ends the request unbilled if a deadline has passed. A later result of the provider is recorded as ignored. */
export const expire = (at: number, state: Request): ReadonlyArray<Event> =>
  !isTerminal(state.phase) && isExpired(state, at)
    ? [{ _tag: "RequestCancelled", at, reason: "expired" }]
    : []

/** Ends a request that has waited too long. The wait of a retry begins when the retry is due. */
export const giveUpWaiting = (
  { at, maxWaitMs }: Extract<Command, { readonly _tag: "GiveUpWaiting" }>,
  { phase }: Request
): ReadonlyArray<Event> =>
  phase._tag === "Queued" && at - phase.dueAt >= maxWaitMs
    ? [{ _tag: "RequestCancelled", at, reason: "expired", limit: "queue_timeout" }]
    : []

/** Whether the deadline of the start has passed before any start, or the deadline of the end. */
const isExpired = (state: Request, at: number): boolean => {
  const { phase, startedAt, submitted } = state
  const startBy = submitted.deadlines?.startBy
  // A finished run has started, even if its start was never reported.
  const isStarted = startedAt !== null || phase._tag === "Finalizing"
  return isPastEnd(state, at) || (startBy !== undefined && !isStarted && at >= startBy)
}
