/**
 * Unix time that follows the monotonic clock, so that setting the wall clock does not move due times. At start it
 * continues from the newest event on the log plus the wall time since that event. So it corrects a wall clock that
 * was wrong before, and nothing waits for one that was set back.
 */
import { Clock, Context, Effect, Layer, Stream } from "effect"
import * as WallTime from "#domain/inference-request/WallTime.ts"
import * as InferenceRequest from "#domain/inference-request/InferenceRequest.ts"
import * as WebhookDelivery from "#domain/webhook-delivery/WebhookDelivery.ts"
import { EventReader } from "#streams/EventReader.ts"
import * as StreamName from "#streams/StreamName.ts"
import * as MonotonicTime from "./MonotonicTime.ts"

/** Smaller differences between the two clocks count as none, because they are read one after the other, ms. */
const toleranceMs = 1_000

/** How many events at the end of the log are searched for the newest time. */
const lookedAt = 1_000

const make = (begin: number) =>
  Effect.map(MonotonicTime.millis, (monotonic) => {
    const offset = begin - monotonic
    const nowOf = (clock: Clock.Clock) => MonotonicTime.millisOf(clock) + offset
    return SteadyTime.of({
      now: Effect.map(MonotonicTime.millis, (millis) => millis + offset),
      nowOf,
      aheadOf: (clock) => {
        const ahead = nowOf(clock) - clock.currentTimeMillisUnsafe()
        return Math.abs(ahead) < toleranceMs ? 0 : ahead
      }
    })
  })

/** The time at which the clock continues when the wall clock shows `wall`. With an empty log it is `wall`. */
const beginAfter = Effect.fnUntraced(function* (wall: number) {
  const reader = yield* EventReader
  const from = reader.stepBack(yield* reader.head, lookedAt)
  let requests: number | null = null
  let deliveries = -Infinity
  yield* Stream.runForEach(reader.readAll(from), (event) =>
    Effect.sync(() => {
      const category = StreamName.categoryOf(event.stream)
      // The event's date is on the wall clock. The date of a delivery is on this clock as well.
      if (category === InferenceRequest.aggregate.category)
        requests = WallTime.steadyOf(event) + Math.max(wall - event.time, 0)
      else if (category === WebhookDelivery.aggregate.category) deliveries = Math.max(deliveries, event.time)
    })
  )
  return Math.max(requests ?? wall, deliveries)
})

export class SteadyTime extends Context.Service<
  SteadyTime,
  {
    /** Unix time in ms. */
    readonly now: Effect.Effect<number>
    /** `now` of a given clock, for paths that are too hot for an effect. */
    readonly nowOf: (clock: Clock.Clock) => number
    /** How far `now` is ahead of the wall clock, ms; 0 when they agree. */
    readonly aheadOf: (clock: Clock.Clock) => number
  }
>()("inferlog/src/kernel/time/SteadyTime") {
  /** Starts at the wall clock, for programs without a log. */
  static readonly layer = Layer.effect(SteadyTime, Effect.flatMap(Clock.currentTimeMillis, make))

  static readonly layerOfLog = Layer.effect(
    SteadyTime,
    Effect.flatMap(Clock.currentTimeMillis, (wall) => Effect.flatMap(beginAfter(wall), make))
  )
}
