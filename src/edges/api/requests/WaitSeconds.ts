/** How long an answer may be held, from a header or the query: whole seconds, at most a minute. */
import { Result } from "effect"
import { invalid, issue, type Parsed } from "#src/edges/http/requests/Parsed.ts"

export const maxSeconds = 60

/** Milliseconds. Fewer seconds than `minSeconds` are out of range. `name`: the header or parameter. */
export const parse = (
  text: string,
  options: { readonly name: string; readonly minSeconds: number }
): Parsed<number> => {
  const { minSeconds, name } = options
  const seconds = /^\d{1,2}$/.test(text) ? Number(text) : Number.NaN
  return seconds >= minSeconds && seconds <= maxSeconds
    ? Result.succeed(seconds * 1000)
    : invalid(issue([name], "range", `wait must be whole seconds from ${minSeconds} to ${maxSeconds}`))
}
