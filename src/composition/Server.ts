/** One node: everything that `inferlog serve` runs. Each layer starts what it is for and stops it with its scope. */
import { Console, Effect, Layer } from "effect"
import { Retention } from "#projections/retention/Retention.ts"
import * as KnownAccounts from "#src/features/accounts/KnownAccounts.ts"
import { Authentication } from "#src/features/accounts/Authentication.ts"
import * as Bootstrap from "#src/features/accounts/Bootstrap.ts"
import { KeyRing } from "#src/features/accounts/KeyRing.ts"
import { Passwords } from "#src/features/accounts/Passwords.ts"
import { RateLimits } from "#src/features/accounts/RateLimits.ts"
import * as AdminServer from "#src/edges/admin/AdminServer.ts"
import { Funds } from "#src/features/funds/Funds.ts"
import { Statements } from "#src/features/billing/Statements.ts"
import * as ActorPublishing from "#src/features/catalog/ActorPublishing.ts"
import * as BuiltinPublishing from "#src/features/manifests/BuiltinPublishing.ts"
import type { CatalogContents } from "#src/features/catalog/CatalogContents.ts"
import { CatalogSearch } from "#src/features/catalog/CatalogSearch.ts"
import type { CatalogProgress } from "#src/features/catalog/CatalogProgress.ts"
import * as LearnedExpectations from "#src/features/providers/waiting/LearnedExpectations.ts"
import * as LogCatalog from "#src/features/catalog/LogCatalog.ts"
import * as StaticContents from "#src/features/catalog/StaticContents.ts"
import * as Core from "./Core.ts"
import { AssetLibrary } from "#src/features/files/AssetLibrary.ts"
import { FileSweep } from "#src/features/files/FileSweep.ts"
import * as LocalReception from "#src/features/media/storage/local/LocalReception.ts"
import { StorageQuota } from "#src/features/media/storage/StorageQuota.ts"
import { Uploads } from "#src/features/files/Uploads.ts"
import * as InferlogHttp from "#src/edges/server/HttpServer.ts"
import * as InputMemory from "#src/kernel/memory/InputMemory.ts"
import { MediaStore } from "#src/features/media/MediaStore.ts"
import { RemoteMedia } from "#src/features/media/RemoteMedia.ts"
import { Thumbnails } from "#src/features/media/Thumbnails.ts"
import * as Mcp from "#src/edges/mcp/Mcp.ts"
import * as ModelsFolder from "#src/features/manifests/ModelsFolder.ts"
import type { Catalog } from "#src/features/catalog/models/Catalog.ts"
import * as Lifecycle from "#src/platform/telemetry/Lifecycle.ts"
import * as DeliveryMetrics from "#src/features/webhooks/metrics/DeliveryMetrics.ts"
import * as RequestMetrics from "#src/features/requests/metrics/RequestMetrics.ts"
import * as Operations from "./Operations.ts"
import * as SubmitSpans from "./SubmitSpans.ts"
import * as Telemetry from "#src/platform/telemetry/telemetry/Telemetry.ts"
import { listenAddress } from "#src/kernel/settings/ListenAddress.ts"
import * as OAuth from "#src/edges/oauth/OAuth.ts"
import { OAuthDatabase } from "#src/edges/oauth/OAuthDatabase.ts"
import { SignIn } from "#src/edges/oauth/SignIn.ts"
import { Outbound } from "#src/kernel/outbound/Outbound.ts"
import { OwnListeners } from "#src/kernel/outbound/OwnListeners.ts"
import { VisionWorkers } from "#src/features/media/vision/VisionWorkers.ts"
import { Callbacks } from "#src/features/providers/Callbacks.ts"
import { ProviderHealth } from "#src/features/provider-health/ProviderHealth.ts"
import { Providers } from "#src/features/providers/Providers.ts"
import { WorkerPool } from "#src/features/providers/pull/WorkerPool.ts"
import { PublicUrls } from "#src/kernel/settings/PublicUrls.ts"
import { DeadlineHints } from "#src/features/requests/DeadlineHints.ts"
import * as Deadlines from "#src/features/dispatch/deadlines/Deadlines.ts"
import * as Dispatcher from "#src/features/dispatch/Dispatcher.ts"
import { Runs } from "#src/features/dispatch/Runs.ts"
import { Finalizer } from "#src/features/dispatch/finalize/Finalizer.ts"
import { LogServers } from "#src/platform/cluster/LogServers.ts"
import * as Membership from "#src/platform/cluster/Membership.ts"
import * as Requirements from "#src/platform/cluster/Requirements.ts"
import * as Elsewhere from "#src/features/dispatch/Elsewhere.ts"
import * as DeliverySender from "#src/features/webhooks/deliveries/DeliverySender.ts"
import * as Recoveries from "#src/features/webhooks/deliveries/Recoveries.ts"
import { RetentionSweep } from "#src/features/retention/RetentionSweep.ts"
import { Sweeper } from "#src/features/dispatch/sweep/Sweeper.ts"
import * as Sweeping from "#src/features/dispatch/sweep/Sweeping.ts"
import * as ActorRequests from "#src/features/requests/ActorRequests.ts"
import * as ProjectedQueueDepth from "#src/features/requests/ProjectedQueueDepth.ts"
import { SecondLooks } from "#src/features/requests/Reading.ts"
import { RequestHistory } from "#src/features/requests/RequestHistory.ts"
import { RequestChanges } from "#src/features/requests/RequestChanges.ts"
import { AccountErasing, TakesRequests } from "#src/features/retention/AccountErasing.ts"
import { Eraser } from "#src/features/retention/Eraser.ts"
import { MasterKey } from "#src/kernel/secrets/MasterKey.ts"
import { ScratchDirectory } from "#src/kernel/disk/ScratchDirectory.ts"
import * as ClientFacing from "#src/features/media/storage/ClientFacing.ts"
import * as Snapshots from "#src/platform/snapshots/Snapshots.ts"
import { SigningSecrets } from "#src/features/webhooks/SigningSecrets.ts"
import { Webhooks } from "#src/features/webhooks/Webhooks.ts"
import * as LeasesOfOtherNodes from "#src/features/dispatch/LeasesOfOtherNodes.ts"
import { WorkerAuthentication } from "#src/features/providers/workers/WorkerAuthentication.ts"
import { WorkerCalls } from "#src/features/providers/workers/WorkerCalls.ts"
import * as Waits from "#src/features/providers/waiting/Waits.ts"
import * as Misspelled from "#src/composition/settings/Misspelled.ts"

/** Targets that would be ourselves are refused, wherever a name leads. */
const outbound = Outbound.layer.pipe(
  Layer.provide(
    Layer.effect(
      OwnListeners,
      Effect.map(listenAddress, ({ host, port }) => [{ address: host, port }])
    )
  )
)

/** Built over the core, which holds the lock that makes the scratch directory ours alone. */
const media = Layer.mergeAll(
  MediaStore.layer.pipe(Layer.provideMerge(ClientFacing.layer)),
  outbound,
  ScratchDirectory.layer
)

/** The master key too may be a file in the directory that is ours alone. */
const secrets = LogServers.choose({ single: MasterKey.layer, shared: MasterKey.layerRequired })

const eraser = Layer.mergeAll(Eraser.layer, Layer.succeed(TakesRequests, true))

const retention = RetentionSweep.layer.pipe(
  Layer.provide(Telemetry.untraced),
  Layer.provide(AccountErasing.layer),
  Layer.provide(FileSweep.layer),
  Layer.provide(Retention.layer)
)

/** Whoever has a key gets in, also where nobody has asked before, and while the log is away. */
const knownAccounts = LogServers.choose({ single: Layer.empty, shared: KnownAccounts.layer })

const secondLooks = LogServers.choose({ single: Layer.empty, shared: Layer.succeed(SecondLooks, 4) })

const requests = SubmitSpans.requests.pipe(
  Layer.provide(ActorRequests.layer.pipe(Layer.provide(secondLooks))),
  Layer.provide([RequestChanges.layer, ProjectedQueueDepth.layer, Funds.layer])
)

/** How clients bring files, and what they have. */
const files = Layer.mergeAll(Uploads.layer, LocalReception.layer, AssetLibrary.layer).pipe(
  Layer.provide(StorageQuota.layer)
)

/** What clients do with requests, with their webhooks, with their money and with files. */
const clients = Layer.merge(
  Layer.mergeAll(RequestHistory.layer, Webhooks.layer, Statements.layer, files).pipe(
    Layer.provideMerge(requests)
  ),
  Layer.mergeAll(SigningSecrets.layer, KeyRing.layer, Passwords.layer)
)

const finalizer = Finalizer.layer.pipe(
  Layer.provide(Telemetry.untraced),
  Layer.provide([RemoteMedia.layer, Thumbnails.layer.pipe(Layer.provide(VisionWorkers.layer))])
)

/** What workers say of jobs that another node follows. */
const leasesElsewhere = LogServers.choose({
  single: Layer.empty,
  shared: LeasesOfOtherNodes.layer.pipe(Layer.provide(finalizer))
})

/** What workers call that fetch their jobs. */
const workers = Layer.merge(
  WorkerAuthentication.layer,
  WorkerCalls.layer.pipe(Layer.provide(leasesElsewhere))
).pipe(Layer.provide(RequestChanges.layer))

const sweeping = Sweeping.layer.pipe(Layer.provide(Sweeper.layer))

/** Of what other nodes do. */
const elsewhere = LogServers.choose({ single: Layer.empty, shared: Elsewhere.layer })

const dispatcher = Layer.mergeAll(Dispatcher.layer, Deadlines.layer, sweeping, elsewhere).pipe(
  Layer.provide(Telemetry.untraced),
  Layer.provideMerge(SubmitSpans.runs),
  Layer.provide(Runs.layer),
  Layer.provide(finalizer),
  Layer.provide(Providers.layer.pipe(Layer.provide(RequestChanges.layer)))
)

/** What a client is told of by webhook. */
const webhooks = Layer.merge(DeliverySender.layer, Recoveries.layer).pipe(Layer.provide(Telemetry.untraced))

const announce = Layer.effectDiscard(
  Effect.flatMap(PublicUrls, ({ queueUrl }) => Console.log(`inferlog serves at ${queueUrl}`))
).pipe(Layer.provideMerge(Lifecycle.serving))

/** How long requests wait, and what for. */
const outlook = LearnedExpectations.layer.pipe(
  Layer.provideMerge(Waits.layer),
  Layer.provide(Telemetry.untraced)
)

/** How assistants are let in. */
const oauth = Layer.merge(OAuth.layer, SignIn.layer).pipe(
  Layer.provide(OAuthDatabase.layer),
  Layer.provide(Telemetry.untraced)
)

type MoreTools = Parameters<typeof Mcp.layerWith>[0]

/** What assistants call. */
const mcp = (tools: MoreTools) =>
  Mcp.layerWith(tools).pipe(
    Layer.provide([OAuthDatabase.layer, StorageQuota.layer]),
    Layer.provide(Telemetry.untraced)
  )

/** The first account is opened once the port is ours, and before the first request is answered. */
const http = (tools: MoreTools) =>
  InferlogHttp.layerNoServer.pipe(
    Layer.provide(mcp(tools)),
    Layer.provide(CatalogSearch.layer),
    Layer.provide(Bootstrap.layer),
    Layer.provide(InferlogHttp.layerServer)
  )

/**
 * Closed in the order of the list: requests are refused first, runs are given back, and the log is closed last. Whatever
 * looks for a model comes after what `publishes` them.
 */
const layerWith = <E, R, E2, R2>({
  catalog,
  publishes,
  tools = Layer.empty
}: {
  readonly catalog: Layer.Layer<Catalog | CatalogContents | CatalogProgress, E, R>
  readonly publishes: Layer.Layer<never, E2, R2>
  readonly tools?: MoreTools
}) =>
  Layer.merge(announce, Misspelled.layer).pipe(
    Layer.provideMerge(Layer.mergeAll(http(tools), AdminServer.layer)),
    Layer.provideMerge(oauth),
    Layer.provideMerge(Operations.readings),
    Layer.provideMerge(Layer.mergeAll(dispatcher, retention, webhooks, Snapshots.layerTaking)),
    Layer.provideMerge(
      Layer.mergeAll(clients, workers, Authentication.layer, RateLimits.layer, knownAccounts, Callbacks.layer)
    ),
    Layer.provideMerge(publishes.pipe(Layer.provideMerge(ActorPublishing.layerOwnActors))),
    Layer.provideMerge(eraser),
    Layer.provideMerge(outlook),
    Layer.provideMerge(Membership.layer),
    Layer.provide(Requirements.layerAgreed),
    Layer.provideMerge(media),
    Layer.provideMerge(secrets),
    Layer.provideMerge(
      Layer.mergeAll(RequestMetrics.layer, DeliveryMetrics.layer, ProviderHealth.layer, WorkerPool.layer)
    ),
    Layer.provideMerge(
      Layer.mergeAll(catalog.pipe(Layer.provideMerge(Core.layer)), PublicUrls.layer, DeadlineHints.layer)
    ),
    Layer.provide([Operations.ground, InputMemory.layer])
  )

/** With models that are part of the program, and nothing about them on the log: for benchmarks, which may bring tools. */
export const layerOf = (catalog: Layer.Layer<Catalog>, tools: MoreTools = Layer.empty) =>
  layerWith({
    catalog: StaticContents.layer.pipe(Layer.provideMerge(catalog)),
    publishes: Layer.empty,
    tools
  })

/** Manifests of the operator may name what ships with the server. */
const publishes = ModelsFolder.layer.pipe(Layer.provideMerge(BuiltinPublishing.layer))

export const layer = layerWith({
  catalog: LogCatalog.layer.pipe(Layer.provide(Telemetry.untraced)),
  publishes: publishes.pipe(Layer.provide(Telemetry.untraced))
})
