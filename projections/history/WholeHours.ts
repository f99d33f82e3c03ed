/** A time between two bounds as whole hours, which are counted, and what is left at both ends. */
import { hourMs } from "./HistoryCounters.ts"
import type { Bounds } from "./HistoryFilter.ts"

/** Hours since 1970, both included. */
export interface Range {
  readonly first: number
  readonly last: number
}

export interface Divided {
  /** `null` when no hour lies between the bounds as a whole. */
  readonly whole: Range | null
  /** The rest of the time, the newer part last: at most two, and bounds as those of the filter are. */
  readonly edges: ReadonlyArray<Bounds>
}

/** Past every time that a clock can tell. */
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
