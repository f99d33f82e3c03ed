/** Divides a time range into whole hours, which have counters, and the rest at both ends. */
import { hourMs } from "./HistoryCounters.ts"
import type { Bounds } from "./HistoryFilter.ts"

/** Hours since 1970, inclusive. */
export interface Range {
  readonly first: number
  readonly last: number
}

export interface Divided {
  /** `null` when the range contains no whole hour. */
  readonly whole: Range | null
  /** The rest of the range, newer part last: at most two, with exclusive bounds like the filter's. */
  readonly edges: ReadonlyArray<Bounds>
}

/** Beyond every clock's time. */
const ever = Number.MAX_SAFE_INTEGER

export const of = ({ createdAfter, createdBefore }: Bounds): Divided => {
  const first = createdAfter === undefined ? -ever : Math.floor(createdAfter / hourMs) + 1
  const last = createdBefore === undefined ? ever : Math.floor(createdBefore / hourMs) - 1
  const bounds = {
    ...(createdAfter !== undefined && { createdAfter }),
    ...(createdBefore !== undefined && { createdBefore })
  }
  if (first > last) return { whole: null, edges: [bounds] }
  return {
    whole: { first, last },
    edges: [
      ...(createdAfter === undefined ? [] : [{ createdAfter, createdBefore: first * hourMs }]),
      ...(createdBefore === undefined ? [] : [{ createdAfter: (last + 1) * hourMs - 1, createdBefore }])
    ]
  }
}
