/** Updates the readings for the export of metrics, which exports the registry as it is. */
import { Effect, Layer, Option, Schedule } from "effect"
import { Readings } from "../Readings.ts"
import { metricsInterval, targets } from "./OtlpSettings.ts"

/** The greatest age of an exported reading, ms. */
const longestAge = 5_000

export const layer = Layer.effectDiscard(
  Effect.gen(function* () {
    const { metrics } = yield* targets
    if (Option.isNone(metrics)) return
    const interval = Math.min(yield* metricsInterval.config, longestAge)
    yield* Effect.forkScoped(Effect.repeat(yield* Readings, Schedule.spaced(interval)))
  })
)
