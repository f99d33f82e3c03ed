/**
 * Unix time that nobody sets: it goes on with the monotonic clock, so that what is due at a recorded time comes due after as
 * long as was meant, however the wall clock is set meanwhile. At a start it goes on from where the newest event on the log
 * has it, by as much as the wall clock has moved since: a wall clock that was set before is set off, and nothing waits for
 * one that was set back.
 */
import { Clock, Context, Effect, Layer, Stream } from "effect"
import * as WallTime from "#domain/inference-request/WallTime.ts"
import * as InferenceRequest from "#domain/inference-request/InferenceRequest.ts"
import * as WebhookDelivery from "#domain/webhook-delivery/WebhookDelivery.ts"
import { EventReader } from "#streams/EventReader.ts"
import * as StreamName from "#streams/StreamName.ts"
import * as MonotonicTime from "./MonotonicTime.ts"

/** Times that differ by less are taken for the same: one of two clocks is read a moment after the other, ms. */
const toleranceMs = 1_000

/** How far back the log is looked at for the newest time, events. */
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

/** Where the clock goes on when the wall clock shows `wall`; `wall` itself with an empty log. */
const beginAfter = Effect.fnUntraced(function* (wall: number) {
  const reader = yield* EventReader
  const from = reader.stepBack(yield* reader.head, lookedAt)
  let requests: number | null = null
  let deliveries = -Infinity
  yield* Stream.runForEach(reader.readAll(from), (event) =>
    Effect.sync(() => {
      const category = StreamName.categoryOf(event.stream)
      // Its date is the wall clock's; that of a delivery is on this clock as well.
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
    /** `now` of a clock at hand: for paths that are too hot for an effect. */
    readonly nowOf: (clock: Clock.Clock) => number
    /** How far `now` is ahead of the wall clock, ms; 0 where the two agree. */
    readonly aheadOf: (clock: Clock.Clock) => number
  }
>()("inferlog/src/kernel/time/SteadyTime") {
  /** Without a log to go by. */
  static readonly layer = Layer.effect(SteadyTime, Effect.flatMap(Clock.currentTimeMillis, make))

  static readonly layerOfLog = Layer.effect(
    SteadyTime,
    Effect.flatMap(Clock.currentTimeMillis, (wall) => Effect.flatMap(beginAfter(wall), make))
  )
}
