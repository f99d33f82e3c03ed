/**
 * The real clock, except that sleeps of the given lengths take 5 ms: for the pauses of a service in a test of its effects, where
 * worker threads and sockets take real time. Limits on those keep their length.
 */
import { Clock, Duration, Effect, Layer } from "effect"

const shortMs = 5

export const layer = (...lengths: ReadonlyArray<Duration.Input>): Layer.Layer<never> =>
  Layer.effect(
    Clock.Clock,
    Clock.clockWith((real) => {
      const short = new Set(lengths.map((length) => Duration.toMillis(length)))
      const clock = Object.create(real) as { -readonly [Key in keyof Clock.Clock]: Clock.Clock[Key] }
      clock.sleep = (duration) =>
        real.sleep(short.has(Duration.toMillis(duration)) ? Duration.millis(shortMs) : duration)
      return Effect.succeed<Clock.Clock>(clock)
    })
  )
