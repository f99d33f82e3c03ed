/**
 * The real clock, of which a test can skip time: sleeps that are over by then end, and monotonic time goes on. For services with
 * pauses beside worker threads and sockets, which take real time.
 */
import { Clock, Context, Duration, Effect, Layer } from "effect"

interface Sleeper {
  readonly dueAt: number
  readonly wake: () => void
}

export class SkippedTime extends Context.Service<
  SkippedTime,
  {
    readonly skip: (time: Duration.Input) => Effect.Effect<void>
    /** Skips this much time after every 5 ms until the effect ends. */
    readonly until: (
      step: Duration.Input
    ) => <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
  }
>()("inferlog/test/SkippedTime") {
  /** Skips this much time after every 5 ms in which the effect runs. */
  static readonly passing =
    (step: Duration.Input) =>
    <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R | SkippedTime> =>
      Effect.flatMap(SkippedTime, ({ until }) => until(step)(effect))

  static readonly layer: Layer.Layer<SkippedTime> = Layer.effectContext(
    Clock.clockWith((real) => {
      let skippedMs = 0
      const sleepers = new Set<Sleeper>()
      const nanos = () => real.monotonicTimeNanosUnsafe() + BigInt(Math.round(skippedMs * 1e6))
      const now = () => Number(nanos()) / 1e6
      const sleep = (ms: number): Effect.Effect<void> =>
        Effect.callback<void>((resume) => {
          const wake = () => {
            clearTimeout(timer)
            sleepers.delete(sleeper)
            resume(Effect.void)
          }
          // As long as a timer can be; time that is skipped ends longer ones.
          const timer = setTimeout(wake, Math.min(ms, 2 ** 31 - 1))
          const sleeper = { dueAt: now() + ms, wake }
          sleepers.add(sleeper)
          return Effect.sync(() => {
            clearTimeout(timer)
            sleepers.delete(sleeper)
          })
        })
      const clock = Object.create(real) as { -readonly [Key in keyof Clock.Clock]: Clock.Clock[Key] }
      clock.monotonicTimeNanosUnsafe = nanos
      clock.monotonicTimeNanos = Effect.sync(nanos)
      clock.sleep = (duration) => {
        const ms = Duration.toMillis(duration)
        return ms <= 0 ? Effect.yieldNow : sleep(ms)
      }
      const skip = (time: Duration.Input) =>
        Effect.sync(() => {
          skippedMs += Duration.toMillis(time)
          for (const { dueAt, wake } of sleepers) if (dueAt <= now()) wake()
        })
      const until =
        (step: Duration.Input) =>
        <A, E, R>(effect: Effect.Effect<A, E, R>) =>
          Effect.raceFirst(effect, Effect.forever(Effect.andThen(real.sleep(Duration.millis(5)), skip(step))))
      return Effect.succeed(
        Context.make(SkippedTime, { skip, until }).pipe(Context.add(Clock.Clock, clock as Clock.Clock))
      )
    })
  )
}
