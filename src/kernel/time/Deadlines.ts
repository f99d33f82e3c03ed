/** Calls functions after a time. All that share a duration share one sleeping fiber, so that a deadline costs next to nothing. */
import { Clock, Effect, FiberSet } from "effect"
import * as MonotonicTime from "./MonotonicTime.ts"

export interface Deadlines {
  /**
   * Calls `run` after `ms`, and never before this returns, unless the returned function is called before. What it throws is
   * logged.
   */
  readonly after: (ms: number, run: () => void) => () => void
}

interface Deadline {
  /** `MonotonicTime.millis` */
  readonly at: number
  readonly run: () => void
}

export const make = Effect.gen(function* () {
  const clock = yield* Clock.Clock
  const fork = yield* FiberSet.makeRuntime<never>()
  /** By duration, so that each set is in the order of its deadlines. */
  const waiting = new Map<number, Set<Deadline>>()
  const now = () => MonotonicTime.millisOf(clock)

  const expire = (ms: number, all: Set<Deadline>): Effect.Effect<void> =>
    Effect.suspend(() => {
      for (const deadline of all) {
        const left = deadline.at - now()
        if (left > 0) return Effect.andThen(Effect.sleep(left), expire(ms, all))
        all.delete(deadline)
        try {
          deadline.run()
        } catch (defect) {
          // Others share the fiber.
          fork(Effect.logError("What was due has failed", defect))
        }
      }
      waiting.delete(ms)
      return Effect.void
    })

  const begin = (ms: number) => {
    const all = new Set<Deadline>()
    waiting.set(ms, all)
    return all
  }

  const deadlines: Deadlines = {
    after: (ms, run) => {
      const known = waiting.get(ms)
      const all = known ?? begin(ms)
      const deadline = { at: now() + ms, run }
      all.add(deadline)
      if (known === undefined) fork(Effect.andThen(Effect.yieldNow, expire(ms, all)))
      return () => all.delete(deadline)
    }
  }
  return deadlines
})
