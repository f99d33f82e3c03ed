/** For how long: the wall clock may be set while the program runs, and no wait is to end early or never for that. */
import { Clock, Effect } from "effect"

/** Milliseconds since some moment of this process. Only differences mean anything. */
export const millis: Effect.Effect<number> = Effect.map(Clock.monotonicTimeNanos, (nanos) =>
  Number(nanos / 1_000_000n)
)
