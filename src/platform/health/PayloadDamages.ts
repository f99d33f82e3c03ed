/** Counts reads of lost or damaged payloads. */
import { Context, Effect, Layer, Metric } from "effect"
import { PayloadDamage } from "#streams/PayloadDamage.ts"
import * as Families from "./Families.ts"

export const layer = Layer.effect(
  PayloadDamage,
  Effect.gen(function* () {
    const context = Context.make(Metric.MetricRegistry, yield* Metric.MetricRegistry)
    const reads = Families.payloadsDamaged.of()
    reads.updateUnsafe(0, context)
    return () => reads.updateUnsafe(1, context)
  })
)
