/** `Accept` (RFC 9110, 12.5.1), for routes whose answers have more than one form. */

interface Range {
  /** `text/csv`, a kind of types (`text/*`) or all. */
  readonly type: string
  /** 0 to 1; 0 excludes the type. */
  readonly weight: number
}

const rangeOf = (text: string): Range => {
  const [type = "", ...parameters] = text.split(";").map((part) => part.trim().toLowerCase())
  const weight = parameters.find((parameter) => parameter.startsWith("q="))?.slice(2)
  return { type, weight: weight === undefined ? 1 : weightOf(weight) }
}

/** A malformed weight counts as absent. */
const weightOf = (text: string): number =>
  /^(?:0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/.test(text) ? Number(text) : 1

interface Rank {
  readonly weight: number
  /** 2: the type itself, 1: its kind (`text/*`), 0: all types. */
  readonly precision: number
}

/** The most precise matching range decides. */
const rankOf = (type: string, ranges: ReadonlyArray<Range>): Rank => {
  const names = ["*/*", `${type.split("/")[0]}/*`, type]
  for (let precision = 2; precision >= 0; precision--) {
    const range = ranges.find((range) => range.type === names[precision])
    if (range !== undefined) return { weight: range.weight, precision }
  }
  return { weight: 0, precision: 0 }
}

/** Whether the client accepts the type. Without the header it accepts every type. */
export const accepts = (header: string | undefined, type: string): boolean =>
  header === undefined || rankOf(type, header.split(",").map(rangeOf)).weight > 0

/** The type that the client prefers: by weight, precision and order. The first if none is named: better than a 406. */
export const preferred = <Type extends string>(
  header: string | undefined,
  types: readonly [Type, ...ReadonlyArray<Type>]
): Type => {
  const [first, ...others] = types
  if (header === undefined) return first
  const ranges = header.split(",").map(rangeOf)
  let best = { type: first, ...rankOf(first, ranges) }
  for (const type of others) {
    const rank = rankOf(type, ranges)
    const isAsGood = rank.weight === best.weight && rank.weight > 0
    if (rank.weight > best.weight || (isAsGood && rank.precision > best.precision)) best = { type, ...rank }
  }
  return best.type
}
