/** The result of one forward, as a line: JSON for programs, a sentence for people. */
import { Struct } from "effect"
import * as Output from "#src/cli/Output.ts"
import type { SelectedEvent } from "./EventSelection.ts"
import type { Answered } from "./Post.ts"

export interface Attempt extends SelectedEvent, Answered {
  /** When it ended, Unix time in ms. */
  readonly at: number
  readonly webhookId: string
  /** From 1. */
  readonly attempt: number
  /** Time until the next try, ms; `null` without one. */
  readonly retryInMs: number | null
}

export const json = (attempt: Attempt): string => {
  const { at, durationMs, error, reason, retryInMs, status } = attempt
  const about = Struct.pick(attempt, ["event", "requestId", "modelEndpoint", "webhookId", "attempt"])
  return `${Output.jsonText({ time: Output.time(at), ...about, status, durationMs, error, reason, retryInMs })}\n`
}

const endOf = ({ error, reason, status }: Answered): string => {
  const word = error === null || error === `http_${status}` ? null : error
  const parts = [status === null ? null : String(status), word].filter((part) => part !== null)
  return `${parts.join(" ")}${reason === null ? "" : ` (${reason})`}`
}

export const text = (attempt: Attempt): string => {
  const { at, durationMs, event, modelEndpoint, requestId, retryInMs } = attempt
  const next = retryInMs === null ? "" : `, next try in ${Output.duration(retryInMs)}`
  const tries = attempt.attempt === 1 ? "" : `, try ${attempt.attempt}`
  const line = `${Output.time(at)}  ${event.padEnd(9)}  ${requestId}  ${modelEndpoint} -> ${endOf(attempt)}`
  return `${Output.printable(`${line} in ${Output.milliseconds(durationMs)}${tries}${next}`)}\n`
}
