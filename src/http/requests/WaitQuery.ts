/** The query parameter `wait`: how long an answer may be held back (decisions, "Polling load", "Sync wait"). */
import { Result } from "effect"
import { invalid, issue, type Parsed } from "./Parsed.ts"

const maxSeconds = 60

/** Milliseconds; 0 when there is no such parameter. */
export const parse = (wait: string | undefined): Parsed<number> => {
  if (wait === undefined) return Result.succeed(0)
  const isInRange = /^\d{1,2}$/.test(wait) && Number(wait) <= maxSeconds
  return isInRange
    ? Result.succeed(Number(wait) * 1000)
    : invalid(issue(["wait"], "range", `must be whole seconds from 0 to ${maxSeconds}`))
}
