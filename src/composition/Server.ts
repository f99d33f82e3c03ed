/** One node: everything that `inferlog serve` runs, as one layer per feature. */
import { Console, Effect, Layer } from "effect"
import * as AdminListener from "#src/edges/server/admin/AdminListener.ts"
import * as AdminServer from "#src/edges/admin/AdminServer.ts"
import * as LocalAdministration from "#src/edges/admin/LocalAdministration.ts"
import * as McpLayers from "#src/edges/mcp/Layers.ts"
import * as SsoSettings from "#src/edges/sso/SsoSettings.ts"
import { SingleSignOn } from "#src/edges/sso/SingleSignOn.ts"
import * as OAuthLayers from "#src/edges/oauth/Layers.ts"
import * as HttpServer from "#src/edges/server/HttpServer.ts"
import * as Bootstrap from "#src/features/accounts/Bootstrap.ts"
import * as Accounts from "#src/features/accounts/Layers.ts"
import { Statements } from "#src/features/billing/Statements.ts"
import * as ActorPublishing from "#src/features/catalog/ActorPublishing.ts"
import type { CatalogContents } from "#src/features/catalog/CatalogContents.ts"
import type { CatalogProgress } from "#src/features/catalog/CatalogProgress.ts"
import { CatalogSearch } from "#src/features/catalog/CatalogSearch.ts"
import * as LogCatalog from "#src/features/catalog/LogCatalog.ts"
import type { Catalog } from "#src/features/catalog/models/Catalog.ts"
import * as StaticContents from "#src/features/catalog/StaticContents.ts"
import * as Demand from "#src/features/demand/Layers.ts"
import * as Dispatch from "#src/features/dispatch/Layers.ts"
import * as SubmitSpans from "#src/features/dispatch/SubmitSpans.ts"
import * as LiveOutput from "#src/features/live-output/Layers.ts"
import * as Fleet from "#src/features/fleet/Fleet.ts"
import * as Pulse from "#src/features/fleet/pulse/Pulse.ts"
import * as Queues from "#src/features/fleet/queues/Queues.ts"
import * as Reporting from "#src/features/fleet/Reporting.ts"
import * as Files from "#src/features/files/Layers.ts"
import { BuiltinDefinitions } from "#src/features/manifests/BuiltinItems.ts"
import * as BuiltinPublishing from "#src/features/manifests/BuiltinPublishing.ts"
import * as ModelsFolder from "#src/features/manifests/ModelsFolder.ts"
import * as Media from "#src/features/media/Layers.ts"
import * as Credentials from "#src/features/provider-health/Credentials.ts"
import { ProviderHealth } from "#src/features/provider-health/ProviderHealth.ts"
import { OperatorAuthentication } from "#src/features/operators/OperatorAuthentication.ts"
import * as Providers from "#src/features/providers/Layers.ts"
import { WorkerPool } from "#src/features/providers/pull/WorkerPool.ts"
import { DeadlineHints } from "#src/features/requests/DeadlineHints.ts"
import * as Requests from "#src/features/requests/Layers.ts"
import * as RequestMetrics from "#src/features/requests/metrics/RequestMetrics.ts"
import * as RequestTally from "#src/features/requests/metrics/RequestTally.ts"
import { RequestHistory } from "#src/features/requests/RequestHistory.ts"
import * as Retention from "#src/features/retention/Layers.ts"
import * as Webhooks from "#src/features/webhooks/Layers.ts"
import * as DeliveryMetrics from "#src/features/webhooks/metrics/DeliveryMetrics.ts"
import { ScratchDirectory } from "#src/kernel/disk/ScratchDirectory.ts"
import * as InputMemory from "#src/kernel/memory/InputMemory.ts"
import { Outbound } from "#src/kernel/outbound/Outbound.ts"
import { OwnListeners } from "#src/kernel/outbound/OwnListeners.ts"
import { MasterKey } from "#src/kernel/secrets/MasterKey.ts"
import { listenAddress } from "#src/kernel/settings/ListenAddress.ts"
import { PublicUrls } from "#src/kernel/settings/PublicUrls.ts"
import { LogServers } from "#src/platform/cluster/LogServers.ts"
import * as Membership from "#src/platform/cluster/Membership.ts"
import * as Requirements from "#src/platform/cluster/Requirements.ts"
import * as Snapshots from "#src/platform/snapshots/Snapshots.ts"
import * as Lifecycle from "#src/platform/telemetry/Lifecycle.ts"
import * as Telemetry from "#src/platform/telemetry/otlp/Telemetry.ts"
import * as Core from "./Core.ts"
import * as Operations from "./Operations.ts"
import * as Misspelled from "./settings/Misspelled.ts"

/** Outbound calls to this server itself are refused, under any name. */
const ownListeners = Layer.effect(
  OwnListeners,
  Effect.gen(function* () {
    const addresses = [yield* listenAddress, yield* AdminListener.address]
    return addresses.flatMap((found) => (found === null ? [] : [{ address: found.host, port: found.port }]))
  })
)

const outbound = Outbound.layer.pipe(Layer.provide(ownListeners))

const masterKey = LogServers.choose({ single: MasterKey.layer, shared: MasterKey.layerRequired })

/** Needs the core, whose lock reserves the data directory for this process. */
const resources = Layer.mergeAll(Media.layer, outbound, ScratchDirectory.layer).pipe(
  Layer.provideMerge(masterKey)
)

/** The services behind the routes. */
const services = Layer.mergeAll(
  RequestHistory.layer,
  Statements.layer,
  Webhooks.layer,
  Files.layer,
  Providers.layer.pipe(Layer.provide(Dispatch.layerLeases)),
  Accounts.layer,
  LiveOutput.layer
).pipe(Layer.provideMerge(SubmitSpans.requests.pipe(Layer.provide(Requests.layer))))

/** Background work. */
const reactors = Layer.mergeAll(
  Dispatch.layer,
  Retention.layer,
  Webhooks.layerSending,
  Demand.layer.pipe(Layer.provide(ownListeners)),
  Snapshots.layerTaking
)

/** Metrics and state of providers, requests and deliveries. */
const observers = Layer.mergeAll(
  RequestMetrics.layer.pipe(Layer.provideMerge(RequestTally.layer)),
  DeliveryMetrics.layer,
  ProviderHealth.layer,
  Credentials.layer,
  WorkerPool.layer
)

const announce = Layer.effectDiscard(
  Effect.flatMap(PublicUrls, ({ baseUrl, queueUrl }) =>
    Console.log(`inferlog serves at ${queueUrl}\nThe console is at ${baseUrl}/console`)
  )
).pipe(Layer.provideMerge(Lifecycle.serving))

/** Opens the first account after the port is bound and before the first request is answered. */
const http = (tools: McpLayers.MoreTools) =>
  Layer.unwrap(
    Effect.map(
      Effect.tap(AdminListener.address, (address) =>
        address === null ? Effect.void : SsoSettings.checkOwnPort
      ),
      (address) =>
        address === null
          ? HttpServer.layerAdministered
          : Layer.merge(
              HttpServer.layerNoServer,
              AdminListener.layerNoServer.pipe(Layer.provide(Layer.fresh(HttpServer.layerServerAt(address))))
            )
    )
  ).pipe(
    Layer.provide(OperatorAuthentication.layer),
    Layer.provide(SingleSignOn.layer),
    Layer.provide(LocalAdministration.layer),
    Layer.provide(McpLayers.layer(tools)),
    Layer.provide(CatalogSearch.layer),
    Layer.provide(Bootstrap.layer),
    Layer.provide(HttpServer.layerServer)
  )

/**
 * The layers close in the order of the list: requests are refused first, then runs are given back, and the log closes last.
 * A layer that needs published models comes before `publishes`.
 */
const layerWith = <E, R, E2, R2>({
  catalog,
  publishes,
  tools = Layer.empty
}: {
  readonly catalog: Layer.Layer<Catalog | CatalogContents | CatalogProgress, E, R>
  readonly publishes: Layer.Layer<never, E2, R2>
  readonly tools?: McpLayers.MoreTools
}) =>
  Layer.merge(announce, Misspelled.layer).pipe(
    Layer.provideMerge(Layer.mergeAll(http(tools), AdminServer.layer)),
    Layer.provide(Layer.provideMerge(Queues.layer, Fleet.layer)),
    Layer.provideMerge(OAuthLayers.layer),
    Layer.provideMerge(Layer.mergeAll(Operations.readings, Reporting.layer, Pulse.layer)),
    Layer.provideMerge(reactors),
    Layer.provideMerge(services),
    Layer.provideMerge(publishes.pipe(Layer.provideMerge(ActorPublishing.layerOwnActors))),
    Layer.provideMerge(Retention.layerErasing),
    Layer.provideMerge(Providers.layerWaiting),
    Layer.provideMerge(Membership.layer),
    Layer.provide(Requirements.layerAgreed),
    Layer.provideMerge(resources),
    Layer.provideMerge(observers),
    Layer.provideMerge(
      Layer.mergeAll(
        catalog.pipe(Layer.provideMerge(Core.layer)),
        PublicUrls.layer,
        DeadlineHints.layer,
        // Built here, while the core waits for its files, and shared with what publishes them.
        BuiltinDefinitions.layer
      )
    ),
    Layer.provide([Operations.ground, InputMemory.layer])
  )

/** A node for benchmarks: its models come from the program instead of the log, and it may have more tools. */
export const layerOf = (catalog: Layer.Layer<Catalog>, tools: McpLayers.MoreTools = Layer.empty) =>
  layerWith({
    catalog: StaticContents.layer.pipe(Layer.provideMerge(catalog)),
    publishes: Layer.empty,
    tools
  })

/** Built-in models are published first, because the manifests of the operator may refer to them. */
const publishes = ModelsFolder.layer.pipe(Layer.provideMerge(BuiltinPublishing.layer))

export const layer = layerWith({
  catalog: LogCatalog.layer.pipe(Layer.provide(Telemetry.untraced)),
  publishes: publishes.pipe(Layer.provide(Telemetry.untraced))
})
