/**
 * How soon a batch follows another. A commit costs the same for few and many events, so batches grow under load: after a
 * batch, the thread rests a multiple of the time that the batch took. A reader who waits ends the rest.
 */
import { Effect } from "effect"

interface Batch {
  readonly events: number
  readonly tookMs: number
}

export interface Pace {
  /** A reader waits: the current rest ends, and so does the one after the current batch. */
  readonly hurry: () => void
  /** For one follower of the log: the rest after each of its batches. */
  readonly join: () => (batch: Batch) => Effect.Effect<unknown>
}

/** Between batches, other groups and other work on the thread run. */
export const restless: Pace = { hurry: () => {}, join: () => () => Effect.yieldNow }

/** The rest per time of work. */
const share = 10

/** ms */
const longest = 50

/** Below this, a timer is not more exact than its cost. ms */
const shortest = 1

/** A follower that reads as many at once is behind and does not rest. */
const manyEvents = 2_048

export const make = (): Pace => {
  let hurries = 0
  const resting = new Set<() => void>()
  return {
    hurry: () => {
      hurries++
      const woken = [...resting]
      resting.clear()
      for (const wake of woken) wake()
    },
    join: () => {
      let seen = hurries
      return ({ events, tookMs }) =>
        Effect.suspend(() => {
          const isHurried = hurries !== seen
          seen = hurries
          const time = Math.min(longest, tookMs * share)
          if (isHurried || events >= manyEvents || time < shortest) return Effect.yieldNow
          const hurried = Effect.callback<void>((resume) => {
            const wake = () => resume(Effect.void)
            resting.add(wake)
            return Effect.sync(() => resting.delete(wake))
          })
          return Effect.andThen(
            Effect.timeoutOption(hurried, time),
            Effect.sync(() => (seen = hurries))
          )
        })
    }
  }
}
