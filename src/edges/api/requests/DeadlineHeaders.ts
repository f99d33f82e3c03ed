/** `X-Request-Start-Timeout` and `Cancel-After` on submit (decisions, "Deadlines"). */
import { Result } from "effect"
import type { RelativeDeadlines } from "#src/features/requests/Requests.ts"
import * as Parsed from "#src/edges/http/requests/Parsed.ts"
import type { RequestHeaders } from "#src/edges/http/requests/RequestHeaders.ts"

const unitMs = { "": 1000, s: 1000, m: 60_000, h: 3_600_000 } as const
const maxMs = 30 * 24 * unitMs.h

const seconds = /^(\d{1,8})$/
const duration = /^(\d{1,8})([smh]?)$/

const none = Result.succeed({ startTimeoutMs: null, cancelAfterMs: null })

export const parse = (headers: RequestHeaders): Parsed.Parsed<RelativeDeadlines> => {
  const startTimeout = headers["x-request-start-timeout"]
  const cancelAfter = headers["cancel-after"]
  return startTimeout === undefined && cancelAfter === undefined
    ? none
    : Parsed.all({
        startTimeoutMs: parseOne(startTimeout, "X-Request-Start-Timeout", seconds, "whole seconds"),
        cancelAfterMs: parseOne(
          cancelAfter,
          "Cancel-After",
          duration,
          "whole seconds, or a number with s, m or h"
        )
      })
}

const parseOne = (
  value: string | undefined,
  name: string,
  form: RegExp,
  expected: string
): Parsed.Parsed<number | null> => {
  if (value === undefined) return Result.succeed(null)
  const [, count, unit = ""] = form.exec(value.trim()) ?? []
  const ms = isUnit(unit) ? Number(count) * unitMs[unit] : Number.NaN
  return ms > 0 && ms <= maxMs
    ? Result.succeed(ms)
    : Parsed.invalid(Parsed.issue([name], "duration", `must be ${expected}, above 0 and at most 30 days`))
}

const isUnit = (text: string): text is keyof typeof unitMs => text in unitMs
