/** The services for providers and pull workers. */
import { Layer } from "effect"
import { RequestChanges } from "#src/features/requests/RequestChanges.ts"
import * as Telemetry from "#src/platform/telemetry/otlp/Telemetry.ts"
import { Callbacks } from "./Callbacks.ts"
import { Providers } from "./Providers.ts"
import * as LearnedExpectations from "./waiting/LearnedExpectations.ts"
import * as Waits from "./waiting/Waits.ts"
import { WorkerAuthentication } from "./workers/WorkerAuthentication.ts"
import { WorkerCalls } from "./workers/WorkerCalls.ts"

/** The calls of providers and workers. */
export const layer = Layer.mergeAll(WorkerAuthentication.layer, WorkerCalls.layer, Callbacks.layer).pipe(
  Layer.provide(RequestChanges.layer)
)

/** The adapters that run requests. */
export const layerRunning = Providers.layer.pipe(Layer.provide(RequestChanges.layer))

/** How long requests wait, and for what. */
export const layerWaiting = LearnedExpectations.layer.pipe(
  Layer.provideMerge(Waits.layer),
  Layer.provide(Telemetry.untraced)
)
