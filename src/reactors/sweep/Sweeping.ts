/** Sweeps every 60 seconds (contract, "States and transitions", rule 2), or as often as is set. */
import { Config, Duration, Effect, Layer, Schema } from "effect"
import * as MonotonicTime from "#src/MonotonicTime.ts"
import * as Setting from "#src/settings/Setting.ts"
import { supervise } from "#src/Supervise.ts"
import { Sweeper } from "./Sweeper.ts"

const bounds = { minimum: Duration.millis(100), maximum: Duration.hours(1) }

const Interval = Schema.DurationFromString.check(
  Schema.makeFilter((duration) => Duration.between(duration, bounds), { expected: "100 millis to 1 hour" })
)

export const sweepInterval = Setting.make({
  name: "SWEEP_INTERVAL",
  config: (name) => Config.schema(Interval, name),
  default: Duration.seconds(60),
  defaultText: "`60 seconds`",
  description:
    "how often requests are looked for that do not come to their end by themselves, and what is to be erased",
  accepts: "a duration from `100 millis` to `1 hour`",
  example: "90 seconds"
})

/** A sweep that takes longer than the interval is followed by the next one at once. */
const make = Effect.gen(function* () {
  const sweeper = yield* Sweeper
  const intervalMs = Duration.toMillis(yield* sweepInterval.config)

  const sweep = Effect.gen(function* () {
    const since = yield* MonotonicTime.millis
    yield* Effect.catchCause(sweeper.sweep, (cause) => Effect.logError("A sweep failed", cause))
    const tookMs = (yield* MonotonicTime.millis) - since
    yield* Effect.sleep(Math.max(intervalMs - tookMs, 0))
  })

  return Effect.gen(function* () {
    yield* sweeper.resume
    yield* Effect.sleep(intervalMs)
    return yield* Effect.forever(sweep)
  })
})

export const layer = Layer.effectDiscard(
  Effect.flatMap(make, (sweeping) => Effect.forkScoped(supervise("The sweeper", sweeping)))
)
