/** Deadlines as they are recorded: a client's patience, counted from the submit (decisions, "Deadlines"). */
import type { Deadlines } from "#domain/inference-request/Event.ts"
import type { RelativeDeadlines } from "./Requests.ts"

/** `at`: when it was submitted, Unix time in ms. `null` when there is none. */
export const of = ({ cancelAfterMs, startTimeoutMs }: RelativeDeadlines, at: number): Deadlines | null =>
  cancelAfterMs === null && startTimeoutMs === null
    ? null
    : {
        ...(startTimeoutMs === null ? {} : { startBy: at + startTimeoutMs }),
        ...(cancelAfterMs === null ? {} : { endBy: at + cancelAfterMs })
      }

/** The one that passes first. */
export const earliest = ({ endBy = Infinity, startBy = Infinity }: Deadlines): number =>
  Math.min(startBy, endBy)
