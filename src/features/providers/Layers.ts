/** The services for providers and pull workers. */
import { Layer } from "effect"
import * as Telemetry from "#src/platform/telemetry/otlp/Telemetry.ts"
import { Callbacks } from "./Callbacks.ts"
import * as LearnedExpectations from "./waiting/LearnedExpectations.ts"
import * as Waits from "./waiting/Waits.ts"
import { WorkerAuthentication } from "./workers/WorkerAuthentication.ts"
import { WorkerCalls } from "./workers/WorkerCalls.ts"

/** The calls of providers and workers. */
export const layer = Layer.mergeAll(WorkerAuthentication.layer, WorkerCalls.layer, Callbacks.layer)

/** How long requests wait, and for what. */
export const layerWaiting = LearnedExpectations.layer.pipe(
  Layer.provideMerge(Waits.layer),
  Layer.provide(Telemetry.untraced)
)
