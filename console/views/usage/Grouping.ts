/** Rows of usage as series of a chart: one for each model or key, the smallest together as "Other". */
import type { AnswerOf } from "#console/api/Types.ts"
import { mostSeries, type Series } from "#console/design/chart/TimeSeries.ts"
import { amountOf, nanosOf } from "#console/design/data/Nanos.ts"

export type Usage = AnswerOf<"getUsage">
type Row = Usage["data"][number]

export interface Sum {
  requests: number
  /** nano-USD */
  cost: bigint
}

export interface Group extends Sum {
  /** A model, a key, or `other`. */
  readonly id: string
  readonly buckets: ReadonlyMap<number, Sum>
}

export interface Grouped {
  /** Unix time in ms of the start of each bucket, with those without charges. */
  readonly times: ReadonlyArray<number>
  /** The largest first. */
  readonly groups: ReadonlyArray<Group>
  readonly totals: ReadonlyArray<Sum>
}

const nextOf = (granularity: Usage["granularity"], at: number): number => {
  if (granularity === "hour") return at + 3_600_000
  if (granularity === "day") return at + 86_400_000
  const date = new Date(at)
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1)
}

const timesOf = ({ end, granularity, start }: Usage): ReadonlyArray<number> => {
  const times: Array<number> = []
  const last = Date.parse(end)
  for (let at = Date.parse(start); at < last; at = nextOf(granularity, at)) times.push(at)
  return times
}

const nothing = (): Sum => ({ requests: 0, cost: 0n })

const addTo = (sum: Sum, { cost, requests }: Sum) => {
  sum.requests += requests
  sum.cost += cost
}

const sumOf = (sums: Map<number, Sum>, at: number): Sum => {
  const known = sums.get(at)
  if (known !== undefined) return known
  const made = nothing()
  sums.set(at, made)
  return made
}

interface Growing extends Sum {
  readonly id: string
  readonly buckets: Map<number, Sum>
}

const growing = (id: string): Growing => ({ ...nothing(), id, buckets: new Map() })

const bySize = (a: Sum, b: Sum): number =>
  a.cost === b.cost ? b.requests - a.requests : a.cost < b.cost ? 1 : -1

const otherOf = (groups: ReadonlyArray<Growing>): Growing => {
  const other = growing("other")
  for (const group of groups) {
    addTo(other, group)
    for (const [at, sum] of group.buckets) addTo(sumOf(other.buckets, at), sum)
  }
  return other
}

export const of = (usage: Usage, nameOf: (row: Row) => string): Grouped => {
  const groups = new Map<string, Growing>()
  const totals = new Map<number, Sum>()
  for (const row of usage.data) {
    const id = nameOf(row)
    const group = groups.get(id) ?? growing(id)
    groups.set(id, group)
    const at = Date.parse(row.bucket)
    const sum = { requests: row.requests, cost: nanosOf(row.cost) }
    for (const one of [group, sumOf(group.buckets, at), sumOf(totals, at)]) addTo(one, sum)
  }
  const sorted = [...groups.values()].sort(bySize)
  const shown =
    sorted.length > mostSeries
      ? [...sorted.slice(0, mostSeries - 1), otherOf(sorted.slice(mostSeries - 1))]
      : sorted
  const times = timesOf(usage)
  return { times, groups: shown, totals: times.map((at) => totals.get(at) ?? nothing()) }
}

export type Measure = "cost" | "requests"

/** The numbers only place the bars; texts come from the sums. */
export const seriesOf = (
  { groups, times }: Grouped,
  measure: Measure,
  labelOf: (id: string) => string
): ReadonlyArray<Series> =>
  groups.map(({ buckets, id }) => ({
    id,
    label: labelOf(id),
    values: times.map((at) => {
      const sum = buckets.get(at)
      if (sum === undefined) return null
      return measure === "cost" ? Number(amountOf(sum.cost)) : sum.requests
    })
  }))
