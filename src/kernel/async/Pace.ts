/** Runs background work slowly, so that it does not delay other work. */
import { Context, Effect } from "effect"
import * as MonotonicTime from "#src/kernel/time/MonotonicTime.ts"

/** The pause after a page, in multiples of the time that the page took. */
export const ShareOfOthers: Context.Reference<number> = Context.Reference(
  "inferlog/src/kernel/async/Pace/ShareOfOthers",
  { defaultValue: () => 3 }
)

/** ms. */
const longestPause = 5_000

/** The largest page, so that other work never waits long behind one. */
export const pageSize = 200

/** Concurrent appends: enough to share a commit. */
export const concurrency = 16

/** Runs the page and then pauses in proportion to its duration. */
export const paced = <A, E, R>(page: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.gen(function* () {
    const before = yield* MonotonicTime.millis
    const done = yield* page
    const elapsed = (yield* MonotonicTime.millis) - before
    const pause = Math.min(elapsed * (yield* ShareOfOthers), longestPause)
    if (pause > 0) yield* Effect.sleep(pause)
    return done
  })
