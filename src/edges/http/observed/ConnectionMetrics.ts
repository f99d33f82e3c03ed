/** Counts open connections. */
import { Context, Effect, Layer, Metric } from "effect"
import { Connections } from "../edge/Connections.ts"
import * as Families from "./Families.ts"

export const layer = Layer.effect(
  Connections,
  Effect.gen(function* () {
    const context = Context.make(Metric.MetricRegistry, yield* Metric.MetricRegistry)
    const connections = Families.httpConnections.of()
    connections.updateUnsafe(0, context)
    return {
      opened: () => connections.modifyUnsafe(1, context),
      closed: () => connections.modifyUnsafe(-1, context)
    }
  })
)
