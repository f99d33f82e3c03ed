/** Restarts a fiber that other parts depend on, and logs why it failed or died. */
import { Effect, Schedule } from "effect"
import * as RateLimitedLog from "./RateLimitedLog.ts"

/** Ends only when `effect` succeeds or on interruption. `what` names the fiber in the log. */
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
