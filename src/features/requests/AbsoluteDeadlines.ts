/** Deadlines of a request: the client's limits, counted from the submit (decisions, "Deadlines"). */
import type { Deadlines } from "#domain/inference-request/Event.ts"
import type { RelativeDeadlines } from "./Requests.ts"

/** `at`: when the request was submitted, Unix time in ms. Returns `null` when there is no deadline. */
export const of = ({ cancelAfterMs, startTimeoutMs }: RelativeDeadlines, at: number): Deadlines | null =>
  cancelAfterMs === null && startTimeoutMs === null
    ? null
    : {
        ...(startTimeoutMs === null ? {} : { startBy: at + startTimeoutMs }),
        ...(cancelAfterMs === null ? {} : { endBy: at + cancelAfterMs })
      }

/** The earlier of the two. */
export const earliest = ({ endBy = Infinity, startBy = Infinity }: Deadlines): number =>
  Math.min(startBy, endBy)
