/** `isStoppedWithin` of a run's control, for tests that have only an effect. */
import { Effect } from "effect"

export const of =
  (stopRequested: Effect.Effect<void>) =>
  (ms: number): Effect.Effect<boolean> =>
    Effect.raceFirst(Effect.as(stopRequested, true), Effect.as(Effect.sleep(ms), false))
