/** Reports the size of the write-ahead log, and whether events move from it into the database. */
import { Clock, Context, Effect, Layer, Metric } from "effect"
import * as MonotonicTime from "#src/kernel/time/MonotonicTime.ts"
import { WalObserver } from "#streams/WalObserver.ts"
import * as Families from "./Families.ts"
import * as Health from "./Health.ts"

export const layer = Layer.effect(
  WalObserver,
  Effect.gen(function* () {
    const context = Context.make(Metric.MetricRegistry, yield* Metric.MetricRegistry)
    const size = Families.walBytes.of()
    const clock = yield* Clock.Clock
    const { watch } = yield* Health.Health
    let failingSince: number | null = null
    yield* watch("log_checkpoint_failing", () => failingSince)
    return ({ bytes, fault }) => {
      size.updateUnsafe(bytes, context)
      failingSince = fault === undefined ? null : (failingSince ?? MonotonicTime.millisOf(clock))
    }
  })
)
