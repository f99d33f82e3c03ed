/** Measures the commits of the log. */
import { Context, Effect, Layer, Metric } from "effect"
import { AppendObserver } from "#streams/AppendObserver.ts"
import * as AllMetrics from "./AllMetrics.ts"

const millisPerSecond = 1_000

export const layer = Layer.effect(
  AppendObserver,
  Effect.gen(function* () {
    const context = Context.make(Metric.MetricRegistry, yield* Metric.MetricRegistry)
    const batch = AllMetrics.appendBatch.of()
    const duration = AllMetrics.appendDuration.of()
    const events = AllMetrics.eventsAppended.of()
    return (commit) => {
      batch.updateUnsafe(commit.appends, context)
      duration.updateUnsafe(commit.durationMs / millisPerSecond, context)
      events.updateUnsafe(commit.events, context)
    }
  })
)
