/** For work that has time: others come first. */
import { Effect } from "effect"
import * as MonotonicTime from "#src/kernel/time/MonotonicTime.ts"

/** What a page of work takes, it leaves to others so many times. */
const shareOfOthers = 3

/** ms, however long the page took. */
const longestPause = 5_000

/** One page is at most this, so that nobody waits for long behind it. */
export const pageSize = 200

/** Appends under way at once: enough to share a commit. */
export const concurrency = 16

/** The page, and after it a pause that is in proportion. */
export const paced = <A, E, R>(page: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.gen(function* () {
    const before = yield* MonotonicTime.millis
    const done = yield* page
    const elapsed = (yield* MonotonicTime.millis) - before
    if (elapsed > 0) yield* Effect.sleep(Math.min(elapsed * shareOfOthers, longestPause))
    return done
  })
