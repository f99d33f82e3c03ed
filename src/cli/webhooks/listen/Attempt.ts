/** What became of one forward, as a line: JSON for programs, a sentence for people. */
import * as Output from "#src/cli/Output.ts"
import type { Happening } from "./Happenings.ts"
import type { Answered } from "./Post.ts"

export interface Attempt extends Happening, Answered {
  /** Unix time in ms at which it ended. */
  readonly at: number
  readonly webhookId: string
  /** From 1. */
  readonly attempt: number
  /** ms until it is tried again, `null` when it is not. */
  readonly retryInMs: number | null
}

export const json = ({
  at,
  attempt,
  durationMs,
  error,
  reason,
  retryInMs,
  status,
  ...about
}: Attempt): string =>
  `${Output.jsonText({
    time: Output.time(at),
    event: about.event,
    requestId: about.requestId,
    modelEndpoint: about.modelEndpoint,
    webhookId: about.webhookId,
    attempt,
    status,
    durationMs,
    error,
    reason,
    retryInMs
  })}\n`

const endOf = ({ error, reason, status }: Answered): string => {
  const word = error === null || error === `http_${status}` ? null : error
  const parts = [status === null ? null : String(status), word].filter((part) => part !== null)
  return `${parts.join(" ")}${reason === null ? "" : ` (${reason})`}`
}

export const text = (attempt: Attempt): string => {
  const { at, durationMs, event, modelEndpoint, requestId, retryInMs } = attempt
  const next = retryInMs === null ? "" : `, again in ${Output.duration(retryInMs)}`
  const which = attempt.attempt === 1 ? "" : `, try ${attempt.attempt}`
  const line = `${Output.time(at)}  ${event.padEnd(9)}  ${requestId}  ${modelEndpoint} -> ${endOf(attempt)}`
  return `${Output.printable(`${line} in ${Output.milliseconds(durationMs)}${which}${next}`)}\n`
}
