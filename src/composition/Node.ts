/** One node without its HTTP server: one layer per feature. */
import { Layer } from "effect"
import * as Accounts from "#src/features/accounts/Layers.ts"
import { Statements } from "#src/features/billing/Statements.ts"
import * as ActorPublishing from "#src/features/catalog/ActorPublishing.ts"
import * as Demand from "#src/features/demand/Layers.ts"
import * as Dispatch from "#src/features/dispatch/Layers.ts"
import * as SubmitSpans from "#src/features/dispatch/SubmitSpans.ts"
import * as Files from "#src/features/files/Layers.ts"
import * as LiveOutput from "#src/features/live-output/Layers.ts"
import * as LogCatalog from "#src/features/catalog/LogCatalog.ts"
import { BuiltinDefinitions } from "#src/features/manifests/BuiltinItems.ts"
import * as BuiltinPublishing from "#src/features/manifests/BuiltinPublishing.ts"
import * as ModelsFolder from "#src/features/manifests/ModelsFolder.ts"
import { MediaStore } from "#src/features/media/MediaStore.ts"
import * as ClientFacing from "#src/features/media/storage/ClientFacing.ts"
import * as Credentials from "#src/features/provider-health/Credentials.ts"
import { ProviderHealth } from "#src/features/provider-health/ProviderHealth.ts"
import * as ProviderLayers from "#src/features/providers/Layers.ts"
import { Providers } from "#src/features/providers/Providers.ts"
import { WorkerPool } from "#src/features/providers/pull/WorkerPool.ts"
import { DeadlineHints } from "#src/features/requests/DeadlineHints.ts"
import * as Requests from "#src/features/requests/Layers.ts"
import * as RequestMetrics from "#src/features/requests/metrics/RequestMetrics.ts"
import * as RequestTally from "#src/features/requests/metrics/RequestTally.ts"
import { QueueDepth } from "#src/features/requests/QueueDepth.ts"
import { RequestHistory } from "#src/features/requests/RequestHistory.ts"
import * as Retention from "#src/features/retention/Layers.ts"
import * as Webhooks from "#src/features/webhooks/Layers.ts"
import * as DeliveryMetrics from "#src/features/webhooks/metrics/DeliveryMetrics.ts"
import { ScratchDirectory } from "#src/kernel/disk/ScratchDirectory.ts"
import { Outbound } from "#src/kernel/outbound/Outbound.ts"
import { MasterKey } from "#src/kernel/secrets/MasterKey.ts"
import { PublicUrls } from "#src/kernel/settings/PublicUrls.ts"
import * as Membership from "#src/platform/cluster/Membership.ts"
import * as Requirements from "#src/platform/cluster/Requirements.ts"
import { SharedLog } from "#src/platform/cluster/SharedLog.ts"
import * as Snapshots from "#src/platform/snapshots/Snapshots.ts"
import * as Telemetry from "#src/platform/telemetry/otlp/Telemetry.ts"
import * as Core from "./Core.ts"
import * as OwnAddresses from "./OwnAddresses.ts"
import { typed } from "./Parts.ts"

const masterKey = SharedLog.choose({ single: MasterKey.layer, shared: MasterKey.layerRequired })

/** The services behind the routes. */
const services = Layer.mergeAll(
  RequestHistory.layer,
  Statements.layer,
  Webhooks.layer,
  Files.layer,
  ProviderLayers.layer.pipe(Layer.provide(Dispatch.layerLeases)),
  Accounts.layer,
  LiveOutput.layer
).pipe(Layer.provideMerge(SubmitSpans.requests.pipe(Layer.provideMerge(Requests.layer))))

/** All in which the program, benchmarks and tests differ. */
interface Parts extends Core.Parts {
  /** Background work. */
  readonly reactors: Layer.Any
  /** The adapters that run requests. */
  readonly providers: Layer.Any
  /** How many requests wait. */
  readonly queueDepth: Layer.Any
  /** What publishes models at the start. A layer that needs published models comes before it. */
  readonly publishes: Layer.Any
  /** How long requests wait, and for what. */
  readonly waiting: Layer.Any
  /** What nodes share beside the log: their names, the lease, reports, and the chunks of outputs. */
  readonly cluster: Layer.Any
  /** How clients upload and download. */
  readonly transfers: Layer.Any
  readonly outbound: Layer.Any
  /** What looks at requests and deliveries for operators. */
  readonly observers: Layer.Any
  readonly catalog: Layer.Any
  /** What is built while the core waits for its files: the public addresses at least. */
  readonly beside: Layer.Any
}

/**
 * A node of these parts. The layers close in the order of the list: background work first, then runs are given back, and the log
 * closes last.
 */
export const layerWith = <P extends Parts>(given: P) => {
  const parts = typed(given)
  return parts.reactors.pipe(
    Layer.provideMerge(Dispatch.layerRuns),
    Layer.provideMerge(parts.providers),
    Layer.provideMerge(services),
    Layer.provide(parts.queueDepth),
    Layer.provideMerge(parts.publishes),
    Layer.provideMerge(ActorPublishing.layerOwnActors),
    Layer.provideMerge(Retention.layerErasing),
    Layer.provideMerge(parts.waiting),
    Layer.provideMerge(parts.cluster),
    // Needs the core, whose lock reserves the data directory for this process.
    Layer.provideMerge(
      Layer.mergeAll(
        MediaStore.layer.pipe(Layer.provideMerge(parts.transfers)),
        parts.outbound,
        ScratchDirectory.layer
      )
    ),
    Layer.provideMerge(masterKey),
    Layer.provideMerge(Layer.mergeAll(parts.observers, ProviderHealth.layer, WorkerPool.layer)),
    Layer.provideMerge(
      Layer.mergeAll(
        parts.catalog.pipe(Layer.provideMerge(Core.layerWith(given))),
        parts.beside,
        DeadlineHints.layer
      )
    )
  )
}

/** Built-in models are published first, because the manifests of the operator may refer to them. */
const publishes = ModelsFolder.layer.pipe(Layer.provideMerge(BuiltinPublishing.layer))

/** Those of the program. */
export const parts = {
  ...Core.parts,
  reactors: Layer.mergeAll(
    Accounts.layerLoading,
    Dispatch.layer,
    Retention.layer,
    Webhooks.layerSending,
    Demand.layer.pipe(Layer.provide(OwnAddresses.layer)),
    Snapshots.layerTaking
  ),
  providers: Providers.layer,
  queueDepth: QueueDepth.layer,
  publishes: publishes.pipe(Layer.provide(Telemetry.untraced)),
  waiting: ProviderLayers.layerWaiting,
  cluster: LiveOutput.layerStore.pipe(
    Layer.provideMerge(Membership.layer),
    Layer.provide(Requirements.layerAgreed)
  ),
  transfers: ClientFacing.layer,
  outbound: Outbound.layer.pipe(Layer.provide(OwnAddresses.layer)),
  observers: Layer.mergeAll(
    RequestMetrics.layer.pipe(Layer.provideMerge(RequestTally.layer)),
    DeliveryMetrics.layer,
    Credentials.layer
  ),
  catalog: LogCatalog.layer.pipe(Layer.provide(Telemetry.untraced)),
  // The definitions are shared with what publishes them.
  beside: Layer.merge(PublicUrls.layer, BuiltinDefinitions.layer)
}
