/** Monotonic time for durations: setting the wall clock must not shorten or extend a wait. */
import { Clock, Effect } from "effect"

/** Milliseconds since an arbitrary moment. Only differences are meaningful. */
export const millis: Effect.Effect<number> = Clock.clockWith((clock) => Effect.succeed(millisOf(clock)))

/** `millis` of a given clock, for paths that are too hot for an effect. */
export const millisOf = (clock: Clock.Clock): number => Number(clock.monotonicTimeNanosUnsafe() / 1_000_000n)
