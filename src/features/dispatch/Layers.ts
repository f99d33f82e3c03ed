/** The services that bring requests to their end. */
import { Layer } from "effect"
import * as LiveOutput from "#src/features/live-output/Layers.ts"
import * as Media from "#src/features/media/Layers.ts"
import * as Providers from "#src/features/providers/Layers.ts"
import { LogServers } from "#src/platform/cluster/LogServers.ts"
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
export const layerLeases = LogServers.choose({
  single: Layer.empty,
  shared: RemoteLeases.layer.pipe(Layer.provide(finalizer))
})

const sweeping = Sweeping.layer.pipe(Layer.provide(Sweeper.layer))

const elsewhere = LogServers.choose({ single: Layer.empty, shared: OtherNodes.layer })

export const layer = Layer.mergeAll(Dispatcher.layer, Deadlines.layer, sweeping, elsewhere).pipe(
  Layer.provide(Telemetry.untraced),
  Layer.provideMerge(SubmitSpans.runs),
  Layer.provide(Runs.layer),
  Layer.provide(LiveOutput.layerRuns),
  Layer.provide(finalizer),
  Layer.provide(Providers.layerRunning)
)
