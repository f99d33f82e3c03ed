/** How long an answer may be held, by header or query: whole seconds, at most a minute (decisions, "Sync wait"). */
import { Result } from "effect"
import { invalid, issue, type Parsed } from "#src/edges/http/requests/Parsed.ts"

const maxSeconds = 60

/** Milliseconds. `name`: the header or parameter. */
const parse = (text: string, name: string, minSeconds: 0 | 1): Parsed<number> => {
  const seconds = /^\d{1,2}$/.test(text) ? Number(text) : Number.NaN
  return seconds >= minSeconds && seconds <= maxSeconds
    ? Result.succeed(seconds * 1000)
    : invalid(issue([name], "range", `wait must be whole seconds from ${minSeconds} to ${maxSeconds}`))
}

const noWait: Parsed<number> = Result.succeed(0)
const noPreference: Parsed<number | null> = Result.succeed(null)

/** The query parameter `wait`, in ms; 0 without it. `minSeconds` is 1 on submit, as for `Prefer`. */
export const queried = (wait: string | undefined, minSeconds: 0 | 1): Parsed<number> =>
  wait === undefined ? noWait : parse(wait, "wait", minSeconds)

/** `Prefer: wait` (RFC 7240), in ms; `null` without it. Other preferences are ignored. */
export const preferred = (prefer: string | undefined): Parsed<number | null> => {
  if (prefer === undefined) return noPreference
  for (const preference of prefer.split(",")) {
    const [name = "", ...rest] = (preference.split(";", 1)[0] ?? "").split("=")
    if (name.trim().toLowerCase() !== "wait") continue
    if (rest.length === 0) return Result.succeed(maxSeconds * 1000)
    return parse(rest.join("=").trim().replaceAll('"', ""), "Prefer", 1)
  }
  return noPreference
}
