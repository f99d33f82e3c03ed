/** For how long: the wall clock may be set while the program runs, and no wait is to end early or never for that. */
import { Clock, Effect } from "effect"

/** Milliseconds since some moment of this process. Only differences mean anything. */
export const millis: Effect.Effect<number> = Clock.clockWith((clock) => Effect.succeed(millisOf(clock)))

/** `millis` of a clock at hand: for paths that are too hot for an effect. */
export const millisOf = (clock: Clock.Clock): number => Number(clock.monotonicTimeNanosUnsafe() / 1_000_000n)
