/** Measures the commits of the log. */
import { Context, Effect, Layer, Metric } from "effect"
import { AppendObserver } from "#streams/AppendObserver.ts"
import * as Families from "./Families.ts"

const millisPerSecond = 1_000

export const layer = Layer.effect(
  AppendObserver,
  Effect.gen(function* () {
    const context = Context.make(Metric.MetricRegistry, yield* Metric.MetricRegistry)
    const batch = Families.appendBatch.of()
    const duration = Families.appendDuration.of()
    const events = Families.eventsAppended.of()
    return (commit) => {
      batch.updateUnsafe(commit.appends, context)
      duration.updateUnsafe(commit.durationMs / millisPerSecond, context)
      events.updateUnsafe(commit.events, context)
    }
  })
)
