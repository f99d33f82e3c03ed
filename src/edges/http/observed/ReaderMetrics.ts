/** Counts clients that do not read what they asked for, and what is held for clients. */
import { Context, Effect, Layer, Metric } from "effect"
import { ReaderEvents } from "../edge/SlowReaders.ts"
import * as AllMetrics from "#src/platform/telemetry/metrics/AllMetrics.ts"

export const layer = Layer.effect(
  ReaderEvents,
  Effect.gen(function* () {
    const context = Context.make(Metric.MetricRegistry, yield* Metric.MetricRegistry)
    const outstanding = AllMetrics.answersOutstanding.of()
    outstanding.updateUnsafe(0, context)
    for (const why of ["stalled", "slow", "pressed"]) AllMetrics.slowReaders.of(why).updateUnsafe(0, context)
    for (const scope of ["node", "client", "file"])
      AllMetrics.answersRefused.of(scope).updateUnsafe(0, context)
    return {
      dropped: (why) => AllMetrics.slowReaders.of(why).updateUnsafe(1, context),
      refused: (scope) => AllMetrics.answersRefused.of(scope).updateUnsafe(1, context),
      outstanding: (bytes) => outstanding.updateUnsafe(bytes, context)
    }
  })
)
