/** The demand of models, and its announcement. */
import { Layer } from "effect"
import * as Telemetry from "#src/platform/telemetry/otlp/Telemetry.ts"
import * as Announcer from "./announcing/Announcer.ts"
import { Demand } from "./Demand.ts"

export const layer = Announcer.layer.pipe(Layer.provideMerge(Demand.layer), Layer.provide(Telemetry.untraced))
