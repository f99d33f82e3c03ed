/** For fibers that others depend on: what one of them fails or dies with is logged, and it starts over. */
import { Effect, Schedule } from "effect"
import * as MonotonicTime from "./MonotonicTime.ts"

/** What fails again and again, as while the log is away, is told of once in this time, ms. */
const tellingMs = 60_000

/** Never ends but by interruption. `what` is named in the log. */
export const supervise = <A, R>(
  what: string,
  effect: Effect.Effect<A, unknown, R>
): Effect.Effect<A, never, R> =>
  Effect.suspend(() => {
    let toldAt = -Infinity
    let untold = 0
    return effect.pipe(
      Effect.tapCause((cause) =>
        Effect.flatMap(MonotonicTime.millis, (now) => {
          untold++
          if (now - toldAt < tellingMs) return Effect.void
          const line = Effect.annotateLogs(Effect.logError(`${what} failed and starts over`, cause), {
            times: untold
          })
          toldAt = now
          untold = 0
          return line
        })
      ),
      Effect.sandbox,
      Effect.retry(Schedule.spaced("1 second")),
      Effect.orDie
    )
  })
