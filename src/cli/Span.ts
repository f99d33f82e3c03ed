/** Durations in flags. */
import { Option } from "effect"
import { Flag } from "effect/cli"

const unitMs: ReadonlyMap<string, number> = new Map([
  ["d", 24 * 60 * 60 * 1_000],
  ["h", 60 * 60 * 1_000],
  ["m", 60 * 1_000],
  ["s", 1_000]
])

/** A duration, written `90d`, `24h`, `15m`, `30s` or `0`, in ms. */
export const parse = (text: string): Option.Option<number> => {
  if (text === "0") return Option.some(0)
  const [, count, unit = ""] = /^(\d{1,7})([dhms])$/.exec(text) ?? []
  const ms = unitMs.get(unit)
  return ms === undefined ? Option.none() : Option.some(Number(count) * ms)
}

/** A flag with a duration of at least a second. */
export const flag = (name: string, description: string) =>
  Flag.String(name).pipe(
    Flag.withMetavar("SPAN"),
    Flag.withDescription(description),
    Flag.filterMap(
      (text) => Option.filter(parse(text), (ms) => ms > 0),
      () => "Expected a number with s, m, h or d, such as 90s"
    ),
    Flag.optional
  )
