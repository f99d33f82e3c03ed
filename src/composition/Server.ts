/** One node with its HTTP server: everything that `inferlog serve` runs. */
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
import { CatalogSearch } from "#src/features/catalog/CatalogSearch.ts"
import * as StaticContents from "#src/features/catalog/StaticContents.ts"
import type { Catalog } from "#src/features/catalog/models/Catalog.ts"
import * as Fleet from "#src/features/fleet/Fleet.ts"
import * as Pulse from "#src/features/fleet/pulse/Pulse.ts"
import * as Queues from "#src/features/fleet/queues/Queues.ts"
import * as Reporting from "#src/features/fleet/Reporting.ts"
import { OperatorAuthentication } from "#src/features/operators/OperatorAuthentication.ts"
import * as InputMemory from "#src/kernel/memory/InputMemory.ts"
import { PublicUrls } from "#src/kernel/settings/PublicUrls.ts"
import * as Lifecycle from "#src/platform/telemetry/Lifecycle.ts"
import * as Node from "./Node.ts"
import * as Operations from "./Operations.ts"
import { typed } from "./Parts.ts"
import * as Misspelled from "./settings/Misspelled.ts"

const announce = Layer.effectDiscard(
  Effect.flatMap(PublicUrls, ({ baseUrl, queueUrl }) =>
    Console.log(`inferlog serves at ${queueUrl}\nThe console is at ${baseUrl}/console`)
  )
).pipe(Layer.provideMerge(Lifecycle.serving))

/** The public routes and those of operators, on one port or two. */
const routes = Layer.unwrap(
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
).pipe(Layer.provide([OperatorAuthentication.layer, SingleSignOn.layer, LocalAdministration.layer]))

/** All in which the program, benchmarks and tests differ. */
interface Parts {
  /** What is told once the server serves. */
  readonly announces: Layer.Any
  /** The socket for commands on the data directory. */
  readonly administration: Layer.Any
  readonly routes: Layer.Any
  /** Further tools for assistants. */
  readonly tools: McpLayers.MoreTools
  /** Opens the first account after the port is bound and before the first request is answered. */
  readonly opening: Layer.Any
  readonly listener: Layer.Any
  /** What the node tells operators and other nodes of itself. */
  readonly reports: Layer.Any
  /** As of `Node.layerWith`. */
  readonly node: Layer.Any
  /** The layers below all others. */
  readonly ground: Layer.Any
}

/** A server of these parts. The layers close in the order of the list: requests are refused first, then the node closes. */
export const layerWith = <P extends Parts>(given: P) => {
  const parts = typed(given)
  const http = parts.routes.pipe(
    Layer.provideMerge(McpLayers.layer(given.tools)),
    Layer.provideMerge(CatalogSearch.layer),
    Layer.provide(parts.opening),
    Layer.provideMerge(parts.listener)
  )
  return parts.announces.pipe(
    Layer.provideMerge(Layer.merge(http, parts.administration)),
    Layer.provideMerge(OAuthLayers.layer),
    Layer.provideMerge(parts.reports),
    Layer.provideMerge(parts.node),
    Layer.provide(parts.ground)
  )
}

/** Those of the program, beside its node. */
const parts = {
  announces: Layer.merge(announce, Misspelled.layer),
  administration: AdminServer.layer,
  routes,
  tools: Layer.empty,
  opening: Bootstrap.layer,
  listener: HttpServer.layerServer,
  reports: Layer.mergeAll(
    Operations.readings,
    Reporting.layer,
    Pulse.layer,
    Layer.provideMerge(Queues.layer, Fleet.layer)
  ),
  ground: Layer.merge(Operations.ground, InputMemory.layer)
}

/** A node for benchmarks: its models come from the program instead of the log, and it may have more tools. */
export const layerOf = (catalog: Layer.Layer<Catalog>, tools: McpLayers.MoreTools = Layer.empty) =>
  layerWith({
    ...parts,
    tools,
    node: Node.layerWith({
      ...Node.parts,
      catalog: StaticContents.layer.pipe(Layer.provideMerge(catalog)),
      publishes: Layer.empty
    })
  })

export const layer = layerWith({ ...parts, node: Node.layerWith(Node.parts) })
