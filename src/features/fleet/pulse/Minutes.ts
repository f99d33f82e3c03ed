/** What requests did in each minute of the last hour, on one node or on all. Minutes begin with the clock's, so nodes add up. */
import { Schema } from "effect"
import * as RequestTally from "#src/features/requests/metrics/RequestTally.ts"

const Count = Schema.Int

const fields = {
  accepted: Count,
  dispatched: Count,
  completed: Count,
  failed: Count,
  cancelled: Count,
  requeued: Count,
  /** By bucket (`WaitBuckets`). */
  waits: Schema.Array(Count)
} as const

export const Counts = Schema.Struct(fields)

export const Minute = Schema.Struct({
  /** Its beginning, Unix time in ms. */
  at: Schema.Int,
  ...fields,
  /** Requests that waited and runs that were under way at its last look, on all nodes; `null` where none was read. */
  queued: Schema.NullOr(Count),
  running: Schema.NullOr(Count)
})
export type Minute = typeof Minute.Type

export const minuteMs = 60_000

/** The minutes that are kept, the one under way included. */
const most = 60

export interface Load {
  readonly queued: number
  readonly running: number
}

const minuteOf = (at: number): number => Math.floor(at / minuteMs) * minuteMs

const empty = (at: number): Minute => ({ at, ...RequestTally.none, queued: null, running: null })

/** The minutes up to `now`, without gaps, and with `counts` added to the one under way. */
export const noted = (
  minutes: ReadonlyArray<Minute>,
  counts: RequestTally.Counts,
  load: Load | null,
  now: number
): ReadonlyArray<Minute> => {
  const at = minuteOf(now)
  // Without those that a clock which was set back had counted.
  const filled = minutes.filter((minute) => minute.at < at && minute.at > at - most * minuteMs)
  for (let next = (filled.at(-1)?.at ?? at) + minuteMs; next < at; next += minuteMs) filled.push(empty(next))
  const current = minutes.find((minute) => minute.at === at) ?? empty(at)
  const { queued, running } = load ?? current
  return [...filled, { at, ...RequestTally.add(current, counts), queued, running }]
}

const larger = (a: number | null, b: number | null): number | null =>
  a === null || b === null ? (a ?? b) : Math.max(a, b)

/** Every node sees the same queue, so that of two the larger count is the newer one or as good. */
const both = (a: Minute, b: Minute): Minute => ({
  at: a.at,
  ...RequestTally.add(a, b),
  queued: larger(a.queued, b.queued),
  running: larger(a.running, b.running)
})

/** The hour up to `now` of all nodes together: 60 minutes, with zeros where no node counted. */
export const together = (nodes: ReadonlyArray<ReadonlyArray<Minute>>, now: number): ReadonlyArray<Minute> => {
  const found = new Map<number, Minute>()
  for (const minute of nodes.flat()) {
    const other = found.get(minute.at)
    found.set(minute.at, other === undefined ? minute : both(other, minute))
  }
  const end = minuteOf(now)
  return Array.from({ length: most }, (_, index) => {
    const at = end - (most - 1 - index) * minuteMs
    return found.get(at) ?? empty(at)
  })
}
