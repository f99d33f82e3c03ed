/** One node: everything that `inferlog serve` runs. Each layer starts what it is for and stops it with its scope. */
import { Console, Effect, Layer } from "effect"
import { Retention } from "#projections/retention/Retention.ts"
import * as KnownAccounts from "./accounts/KnownAccounts.ts"
import { Authentication } from "./accounts/Authentication.ts"
import * as Bootstrap from "./accounts/Bootstrap.ts"
import { KeyRing } from "./accounts/KeyRing.ts"
import { Passwords } from "./accounts/Passwords.ts"
import { RateLimits } from "./accounts/RateLimits.ts"
import * as AdminServer from "./admin/AdminServer.ts"
import { Funds } from "./billing/Funds.ts"
import { Statements } from "./billing/Statements.ts"
import * as ActorPublishing from "./catalog/ActorPublishing.ts"
import * as BuiltinPublishing from "./catalog/BuiltinPublishing.ts"
import type { CatalogContents } from "./catalog/CatalogContents.ts"
import { CatalogSearch } from "./catalog/CatalogSearch.ts"
import type { CatalogProgress } from "./catalog/CatalogProgress.ts"
import * as LearnedExpectations from "./catalog/LearnedExpectations.ts"
import * as LogCatalog from "./catalog/LogCatalog.ts"
import * as StaticContents from "./catalog/StaticContents.ts"
import * as Core from "./Core.ts"
import { AssetLibrary } from "./files/AssetLibrary.ts"
import { FileSweep } from "./files/FileSweep.ts"
import * as LocalReception from "./files/local/LocalReception.ts"
import { StorageQuota } from "./files/StorageQuota.ts"
import { Uploads } from "./files/Uploads.ts"
import * as InferlogHttp from "./http/HttpServer.ts"
import * as InputMemory from "./memory/InputMemory.ts"
import { MediaStore } from "./media/MediaStore.ts"
import { RemoteMedia } from "./media/RemoteMedia.ts"
import { Thumbnails } from "./media/Thumbnails.ts"
import * as Mcp from "./mcp/Mcp.ts"
import * as ModelsFolder from "./manifests/ModelsFolder.ts"
import type { Catalog } from "./models/Catalog.ts"
import * as Lifecycle from "./operations/Lifecycle.ts"
import * as DeliveryMetrics from "./operations/metrics/DeliveryMetrics.ts"
import * as RequestMetrics from "./operations/metrics/RequestMetrics.ts"
import * as Operations from "./operations/Operations.ts"
import * as SubmitSpans from "./operations/telemetry/SubmitSpans.ts"
import * as Telemetry from "./operations/telemetry/Telemetry.ts"
import { listenAddress } from "./ListenAddress.ts"
import * as OAuth from "./oauth/OAuth.ts"
import { OAuthDatabase } from "./oauth/OAuthDatabase.ts"
import { SignIn } from "./oauth/SignIn.ts"
import { Outbound } from "./outbound/Outbound.ts"
import { OwnListeners } from "./outbound/OwnListeners.ts"
import { VisionWorkers } from "./vision/VisionWorkers.ts"
import { Callbacks } from "./providers/Callbacks.ts"
import { ProviderHealth } from "./providers/health/ProviderHealth.ts"
import { Providers } from "./providers/Providers.ts"
import { WorkerPool } from "./providers/pull/WorkerPool.ts"
import { PublicUrls } from "./PublicUrls.ts"
import { DeadlineHints } from "./requests/DeadlineHints.ts"
import * as Deadlines from "./reactors/deadlines/Deadlines.ts"
import * as Dispatcher from "./reactors/dispatch/Dispatcher.ts"
import { Runs } from "./reactors/dispatch/Runs.ts"
import { Finalizer } from "./reactors/finalize/Finalizer.ts"
import { LogServers } from "./cluster/LogServers.ts"
import * as Membership from "./cluster/Membership.ts"
import * as Requirements from "./cluster/Requirements.ts"
import * as Elsewhere from "./reactors/Elsewhere.ts"
import * as DeliverySender from "./reactors/deliveries/DeliverySender.ts"
import * as Recoveries from "./reactors/deliveries/Recoveries.ts"
import { RetentionSweep } from "./reactors/retention/RetentionSweep.ts"
import { Sweeper } from "./reactors/sweep/Sweeper.ts"
import * as Sweeping from "./reactors/sweep/Sweeping.ts"
import * as ActorRequests from "./requests/ActorRequests.ts"
import * as ProjectedQueueDepth from "./requests/ProjectedQueueDepth.ts"
import { SecondLooks } from "./requests/Reading.ts"
import { RequestHistory } from "./requests/RequestHistory.ts"
import { RequestChanges } from "./requests/RequestChanges.ts"
import { AccountErasing, TakesRequests } from "./retention/AccountErasing.ts"
import { Eraser } from "./retention/Eraser.ts"
import { MasterKey } from "./secrets/MasterKey.ts"
import { ScratchDirectory } from "./ScratchDirectory.ts"
import * as ClientFacing from "./storage/ClientFacing.ts"
import * as Snapshots from "./snapshots/Snapshots.ts"
import { SigningSecrets } from "./webhooks/SigningSecrets.ts"
import { Webhooks } from "./webhooks/Webhooks.ts"
import * as LeasesElsewhere from "./workers/LeasesElsewhere.ts"
import { WorkerAuthentication } from "./workers/WorkerAuthentication.ts"
import { WorkerCalls } from "./workers/WorkerCalls.ts"
import * as Waits from "./providers/waiting/Waits.ts"
import * as Misspelled from "./settings/Misspelled.ts"

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
  shared: LeasesElsewhere.layer.pipe(Layer.provide(finalizer))
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
