/**
 * Unix time that nobody sets: the wall clock as it was when the program started, and from then on the monotonic clock. What
 * is due at a recorded time comes due after as long as was meant, however the wall clock is set meanwhile.
 */
import { Clock, Context, Effect, Layer } from "effect"
import * as MonotonicTime from "./MonotonicTime.ts"

export class SteadyTime extends Context.Service<
  SteadyTime,
  {
    /** Unix time in ms. */
    readonly now: Effect.Effect<number>
  }
>()("inferlog/src/SteadyTime") {
  static readonly layer = Layer.effect(
    SteadyTime,
    Effect.gen(function* () {
      const offset = (yield* Clock.currentTimeMillis) - (yield* MonotonicTime.millis)
      return SteadyTime.of({ now: Effect.map(MonotonicTime.millis, (millis) => millis + offset) })
    })
  )
}
