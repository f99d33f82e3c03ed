/** Workers between two calls. One that has just left usually comes back. */
import * as JobFilter from "./JobFilter.ts"

/** A worker without a call for this long is gone, ms. */
const graceMs = 10_000

export interface Presence {
  readonly left: (wish: JobFilter.JobFilter) => void
  /** Whether a worker for the model has left recently. */
  readonly isExpected: (model: string) => boolean
}

/** @param now ms of a monotonic clock. */
export const make = (now: () => number): Presence => {
  /** Workers with the same filter count as one. The one that left first is first. */
  const gone = new Map<string, { readonly wish: JobFilter.JobFilter; readonly at: number }>()

  const forget = (before: number) => {
    for (const [name, { at }] of gone) {
      if (at > before) return
      gone.delete(name)
    }
  }

  return {
    left: (wish) => {
      const at = now()
      forget(at - graceMs)
      const name = JobFilter.nameOf(wish)
      gone.delete(name)
      gone.set(name, { wish, at })
    },
    isExpected: (model) => {
      forget(now() - graceMs)
      return [...gone.values()].some(({ wish }) => JobFilter.isFor(wish, model))
    }
  }
}
