/** The services that bring requests to their end. */
import { Layer } from "effect"
import * as Media from "#src/features/media/Layers.ts"
import { SharedLog } from "#src/platform/cluster/SharedLog.ts"
import * as Telemetry from "#src/platform/telemetry/otlp/Telemetry.ts"
import * as Deadlines from "./deadlines/Deadlines.ts"
import * as Dispatcher from "./Dispatcher.ts"
import * as OtherNodes from "./OtherNodes.ts"
import { Finalizer } from "./finalize/Finalizer.ts"
import * as RemoteLeases from "./RemoteLeases.ts"
import { Runs } from "./Runs.ts"
import * as SubmitSpans from "./SubmitSpans.ts"
import { Sweeper } from "./sweep/Sweeper.ts"
import * as Sweeping from "./sweep/Sweeping.ts"

const finalizer = Finalizer.layer.pipe(Layer.provide(Telemetry.untraced), Layer.provide(Media.layerFetching))

/** Reports of workers whose leases other nodes follow. */
export const layerLeases = SharedLog.choose({
  single: Layer.empty,
  shared: RemoteLeases.layer.pipe(Layer.provide(finalizer))
})

/** The runs of this node, how they end, and the sweeper of requests that stay behind. Begins none. */
export const layerRuns = Sweeper.layer.pipe(
  Layer.provide(Telemetry.untraced),
  Layer.provideMerge(SubmitSpans.runs.pipe(Layer.provideMerge(Runs.layer))),
  Layer.provideMerge(finalizer)
)

/** Begins due runs and applies deadlines. */
export const layerDispatching = Layer.merge(Dispatcher.layer, Deadlines.layer)

/** Reacts to what other nodes record. */
export const layerElsewhere = SharedLog.choose({ single: Layer.empty, shared: OtherNodes.layer })

export const layer = Layer.mergeAll(layerDispatching, Sweeping.layer, layerElsewhere).pipe(
  Layer.provide(Telemetry.untraced)
)
