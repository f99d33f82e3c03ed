/**
 * Sweeps every 60 seconds, or as configured (contract, "States and transitions", rule 2), on the node that holds the
 * lease. The other nodes only handle the files of their own runs, because no other node knows whether these are being
 * stored.
 */
import { Config, Duration, Effect, Layer, Schema } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import type { EventStoreError } from "#streams/EventReader.ts"
import { Lease } from "#src/platform/cluster/Lease.ts"
import * as MonotonicTime from "#src/kernel/time/MonotonicTime.ts"
import * as Setting from "#src/kernel/settings/Setting.ts"
import { supervise } from "#src/kernel/async/Supervise.ts"
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
  description: "how often the server looks for requests that do not end by themselves, and for data to erase",
  accepts: "a duration from `100 millis` to `1 hour`",
  example: "90 seconds"
})

/** If a sweep takes longer than the interval, the next one follows at once. */
const make = Effect.gen(function* () {
  const sweeper = yield* Sweeper
  const lease = yield* Lease
  const intervalMs = Duration.toMillis(yield* sweepInterval.config)

  const pass = Effect.flatMap(lease.isHeld, (isHeld): Effect.Effect<unknown, EventStoreError | SqlError> =>
    isHeld ? sweeper.sweep : sweeper.resumeOwn
  )

  const sweep = Effect.gen(function* () {
    const since = yield* MonotonicTime.millis
    yield* Effect.catchCause(pass, (cause) => Effect.logError("A sweep failed", cause))
    const tookMs = (yield* MonotonicTime.millis) - since
    yield* Effect.sleep(Math.max(intervalMs - tookMs, 0))
  })

  return Effect.gen(function* () {
    yield* Effect.when(sweeper.resume, lease.isHeld)
    yield* Effect.sleep(intervalMs)
    return yield* Effect.forever(sweep)
  })
})

export const layer = Layer.effectDiscard(
  Effect.flatMap(make, (sweeping) => Effect.forkScoped(supervise("The sweeper", sweeping)))
)
