/** Counts slow clients and refused answers, and measures the bytes that wait for clients. */
import { Context, Effect, Layer, Metric } from "effect"
import { ReaderEvents } from "../edge/SlowReaders.ts"
import * as Families from "./Families.ts"

export const layer = Layer.effect(
  ReaderEvents,
  Effect.gen(function* () {
    const context = Context.make(Metric.MetricRegistry, yield* Metric.MetricRegistry)
    const outstanding = Families.answersOutstanding.of()
    outstanding.updateUnsafe(0, context)
    for (const why of ["stalled", "slow", "pressed"]) Families.slowReaders.of(why).updateUnsafe(0, context)
    for (const scope of ["node", "client", "file"]) Families.answersRefused.of(scope).updateUnsafe(0, context)
    return {
      dropped: (why) => Families.slowReaders.of(why).updateUnsafe(1, context),
      refused: (scope) => Families.answersRefused.of(scope).updateUnsafe(1, context),
      outstanding: (bytes) => outstanding.updateUnsafe(bytes, context)
    }
  })
)
