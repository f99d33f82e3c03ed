/** Durations, written `90d`, `24h`, `15m`, `30s` or `0`. */
import { Option } from "effect"

const unitMs: ReadonlyMap<string, number> = new Map([
  ["d", 24 * 60 * 60 * 1_000],
  ["h", 60 * 60 * 1_000],
  ["m", 60 * 1_000],
  ["s", 1_000]
])

/** ms. */
export const parse = (text: string): Option.Option<number> => {
  if (text === "0") return Option.some(0)
  const [, count, unit = ""] = /^(\d{1,7})([dhms])$/.exec(text) ?? []
  const ms = unitMs.get(unit)
  return ms === undefined ? Option.none() : Option.some(Number(count) * ms)
}
