/**
 * The real clock, except that sleeps of some lengths take 5 ms: for the pauses of a service in a test of its effects, where
 * worker threads and sockets take real time. Limits on those keep their length.
 */
import { Clock, Duration, Effect, Layer } from "effect"

const shortMs = 5

const layerOf = (isShort: (ms: number) => boolean): Layer.Layer<never> =>
  Layer.effect(
    Clock.Clock,
    Clock.clockWith((real) => {
      const clock = Object.create(real) as { -readonly [Key in keyof Clock.Clock]: Clock.Clock[Key] }
      clock.sleep = (duration) =>
        real.sleep(isShort(Duration.toMillis(duration)) ? Duration.millis(shortMs) : duration)
      return Effect.succeed<Clock.Clock>(clock)
    })
  )

/** Sleeps of exactly these lengths. */
export const layer = (...lengths: ReadonlyArray<Duration.Input>) => {
  const short = new Set(lengths.map((length) => Duration.toMillis(length)))
  return layerOf((ms) => short.has(ms))
}

/** Sleeps of this length and shorter ones, where pauses are random. */
export const layerUpTo = (longest: Duration.Input) => {
  const longestMs = Duration.toMillis(longest)
  return layerOf((ms) => ms <= longestMs)
}
