/** Rates, written as calls per time: `100/60s`. */
import { Option } from "effect"
import type { Rate } from "#domain/account/Limits.ts"
import * as Output from "#src/cli/Output.ts"

const pattern = /^(\d{1,7})\/(\d{1,5})([smh])$/

const secondsOf: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3_600 }

export const parse = (text: string): Option.Option<Rate> => {
  const match = pattern.exec(text)
  if (match === null) return Option.none()
  const [, requests, count, unit = "s"] = match
  return Option.some({
    requests: Number(requests),
    windowSeconds: Number(count) * (secondsOf[unit] ?? Number.NaN)
  })
}

/** The form that `parse` reads, with thousands separators. */
export const format = ({ requests, windowSeconds }: Rate): string =>
  `${Output.count(requests)}/${windowSeconds}s`
