/** Workers between two calls: one that has just left is about to come back, unless it is gone for good. */
import * as JobFilter from "./JobFilter.ts"

/** A worker that has not called for so long is gone, ms. */
const graceMs = 10_000

export interface Presence {
  readonly left: (wish: JobFilter.JobFilter) => void
  /** Whether a worker that can have a job of the model has left lately. */
  readonly isExpected: (model: string) => boolean
}

/** @param now ms of a monotonic clock. */
export const make = (now: () => number): Presence => {
  /** Workers that come for the same are one. Who left longest ago is first. */
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
