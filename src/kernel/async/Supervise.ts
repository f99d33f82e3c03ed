/** For fibers that others depend on: what one of them fails or dies with is logged, and it starts over. */
import { Effect, Schedule } from "effect"
import * as RateLimitedLog from "./RateLimitedLog.ts"

/** Never ends but by interruption. `what` is named in the log. */
export const supervise = <A, R>(
  what: string,
  effect: Effect.Effect<A, unknown, R>
): Effect.Effect<A, never, R> =>
  Effect.suspend(() => {
    const tell = RateLimitedLog.make()
    return effect.pipe(
      Effect.tapCause((cause) => tell(Effect.logError(`${what} failed and starts over`, cause))),
      Effect.sandbox,
      Effect.retry(Schedule.spaced("1 second")),
      Effect.orDie
    )
  })
