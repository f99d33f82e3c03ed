import { Layer } from "effect"
import { Retention } from "#projections/retention/Retention.ts"
import { FileSweep } from "#src/features/files/FileSweep.ts"
import * as Telemetry from "#src/platform/telemetry/otlp/Telemetry.ts"
import { AccountErasing, TakesRequests } from "./AccountErasing.ts"
import { Eraser } from "./Eraser.ts"
import { RetentionSweep } from "./RetentionSweep.ts"

/** Erases one request at a time. */
export const layerErasing = Layer.merge(Eraser.layer, Layer.succeed(TakesRequests, true))

export const layer = RetentionSweep.layer.pipe(
  Layer.provide(Telemetry.untraced),
  Layer.provide(AccountErasing.layer),
  Layer.provide(FileSweep.layer),
  Layer.provide(Retention.layer)
)
