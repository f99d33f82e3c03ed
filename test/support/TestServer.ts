/**
 * The program's server on a free port and a new data directory, with other parts: no background work, the read side in
 * process, and fixed models and names. Without a dispatcher, tests move requests to the state that they need (`Lifecycle`).
 */
import type { ServerOptions } from "node:http"
import * as path from "node:path"
import { ConfigProvider, Context, type Duration, Effect, identity, Layer, References } from "effect"
import * as HttpServer from "effect/http/HttpServer"
import { NetAddress } from "effect/net"
import * as CatalogProjection from "#projections/catalog/CatalogProjection.ts"
import * as DeliveriesProjection from "#projections/deliveries/DeliveriesProjection.ts"
import * as DueWorkProjection from "#projections/due-work/DueWorkProjection.ts"
import * as FilesProjection from "#projections/files/FilesProjection.ts"
import * as LedgerProjection from "#projections/ledger/LedgerProjection.ts"
import type { Projection } from "#projections/Projection.ts"
import * as HistoryProjection from "#projections/history/HistoryProjection.ts"
import * as KeysProjection from "#projections/keys/KeysProjection.ts"
import { Projections } from "#projections/Projections.ts"
import { KeyId } from "#domain/Ids.ts"
import * as Core from "#src/composition/Core.ts"
import * as Node from "#src/composition/Node.ts"
import * as Server from "#src/composition/Server.ts"
import { Accounts } from "#src/features/accounts/Accounts.ts"
import * as ApiKey from "#src/features/accounts/ApiKey.ts"
import { Expectations } from "#src/features/catalog/Expectations.ts"
import * as BuiltinCatalog from "#src/features/catalog/models/BuiltinCatalog.ts"
import type { Catalog } from "#src/features/catalog/models/Catalog.ts"
import * as Dispatch from "#src/features/dispatch/Layers.ts"
import { SubmitSpans } from "#src/features/dispatch/SubmitSpans.ts"
import { FileSweep } from "#src/features/files/FileSweep.ts"
import * as BuiltinPublishing from "#src/features/manifests/BuiltinPublishing.ts"
import type { Provider } from "#src/features/providers/Provider.ts"
import { Providers } from "#src/features/providers/Providers.ts"
import { WorkerKeys } from "#src/features/providers/workers/WorkerKeys.ts"
import { QueueDepth } from "#src/features/requests/QueueDepth.ts"
import { BodyTimeout } from "#src/edges/http/edge/BodyReader.ts"
import type { Open, Registrations } from "#src/edges/mcp/McpEndpoint.ts"
import * as Http from "#src/edges/server/HttpServer.ts"
import { DataDirectory } from "#src/kernel/disk/DataDirectory.ts"
import { PublicUrls, type Urls } from "#src/kernel/settings/PublicUrls.ts"
import { LogServers } from "#src/platform/cluster/LogServers.ts"
import { SharedLog } from "#src/platform/cluster/SharedLog.ts"
import * as Health from "#src/platform/health/Health.ts"
import * as Telemetry from "#src/platform/telemetry/otlp/Telemetry.ts"
import { EventStore } from "#streams/EventStore.ts"
import * as FileBlobStore from "#streams/FileBlobStore.ts"
import { IdGenerator } from "#streams/IdGenerator.ts"
import * as GlobalPosition from "#streams/GlobalPosition.ts"
import * as SqliteEventStore from "#streams/sqlite/SqliteEventStore.ts"
import * as OutboundGuard from "#test/support/src/kernel/outbound/OutboundGuard.ts"
import * as TempDirectory from "./TempDirectory.ts"
import * as TestCatalog from "./TestCatalog.ts"
import { plenty, usd } from "./TestAccounts.ts"

export class TestServer extends Context.Service<
  TestServer,
  {
    readonly port: number
    readonly urls: Urls
    /** `Authorization` headers of two accounts that can pay, and of one that has nothing. */
    readonly key: string
    readonly otherKey: string
    readonly poorKey: string
  }
>()("inferlog/test/TestServer") {}

export interface TestServerOptions {
  /** Public addresses that differ from the server's own. */
  readonly urls?: Partial<Urls>
  /** Options of the Node server. */
  readonly limits?: ServerOptions
  readonly bodyTimeout?: Duration.Input
  /** The addresses of a name; by default two names resolve. */
  readonly resolve?: (name: string) => Effect.Effect<ReadonlyArray<string>>
  /** The models; by default those that ship with the server. */
  readonly catalog?: Layer.Layer<Catalog>
  /** The projections beside the ledger and the deliveries; by default the work queue and the history. */
  readonly projections?: ReadonlyArray<Projection>
  /** Whether the catalog is on the log, with the built-in models published first. By default it is fixed. */
  readonly catalogOnLog?: boolean
  /** The number of waiting requests of a model; 0 by default. */
  readonly queued?: (model: string) => number
  /** The routes to serve; by default all, including the fast path. */
  readonly serving?: typeof Http.layerNoServer
  /** Further tools, beside the server's own. */
  readonly tools?: Registrations<never, Open>
  /** Whether it runs requests and applies their deadlines. */
  readonly dispatches?: boolean
  /** The providers of a server that dispatches; by default the program's. */
  readonly providers?: ReadonlyArray<Provider>
  /** Wraps the log, for instance with a fault. */
  readonly log?: (store: EventStore["Service"]) => EventStore["Service"]
}

/** The only names that resolve by default. One has a private address. */
const addresses: Readonly<Record<string, string>> = {
  "hooks.acme.dev": "93.184.216.34",
  "inside.acme.dev": "10.0.0.1"
}

const resolveFixed = (name: string) => Effect.succeed(addresses[name] === undefined ? [] : [addresses[name]])

const usual = [DueWorkProjection.projection, HistoryProjection.projection]

/** In process, without the thread of the program. */
const readSide = (projections: ReadonlyArray<Projection> = usual) =>
  Core.pace.pipe(
    Layer.provideMerge(
      inDirectory((directory) =>
        Projections.layerInProcess({
          filename: path.join(directory, "projections.sqlite"),
          projections: [
            ...projections,
            CatalogProjection.projection,
            DeliveriesProjection.projection,
            FilesProjection.projection,
            KeysProjection.projection,
            LedgerProjection.projection
          ]
        })
      )
    ),
    Layer.provide(Layer.succeed(References.MinimumLogLevel, "Warn"))
  )

/** The log and the blobs of the data directory, without the probes that watch them. */
const storage = (wrap: NonNullable<TestServerOptions["log"]>) =>
  Layer.mergeAll(Layer.effect(EventStore, Effect.map(EventStore, wrap)), SharedLog.layer).pipe(
    Layer.provideMerge(
      inDirectory((directory) =>
        Layer.mergeAll(
          SqliteEventStore.layer(directory),
          FileBlobStore.layer({ root: path.join(directory, "blobs"), isShared: false }),
          Layer.succeed(LogServers, null)
        )
      )
    )
  )

const inDirectory = <A, E, R>(make: (directory: string) => Layer.Layer<A, E, R>) =>
  Layer.unwrap(Effect.map(DataDirectory, make))

const publicUrls = (urls: Partial<Urls>) =>
  Layer.effect(
    PublicUrls,
    Effect.map(HttpServer.HttpServer, ({ address }) => {
      const own = `http://127.0.0.1:${portOf(address)}`
      return { queueUrl: own, baseUrl: own, mediaUrl: own, mcpUrl: own, ...urls }
    })
  )

const portOf = (address: HttpServer.HttpServer["Service"]["address"]): number =>
  NetAddress.isInetAddress(address) ? address.port : 0

/** Before what the environment says. */
const settings = ConfigProvider.layerAdd(
  ConfigProvider.fromUnknown({ MASTER_KEY: Buffer.alloc(32).toString("hex") }),
  { asPrimary: true }
)

/** Opens an account with `balance` USD and returns the `Authorization` header of its first key. */
export const openAccount = Effect.fnUntraced(function* (name: string, balance = plenty) {
  const accounts = yield* Accounts
  const key = { keyId: KeyId.make(name), secret: ApiKey.makeSecret() }
  yield* accounts.open({ name, key, balance: usd(balance) })
  return `Key ${ApiKey.format(key)}`
})

export const bodyTimeout = ({ bodyTimeout }: TestServerOptions) =>
  bodyTimeout === undefined ? Layer.empty : Layer.succeed(BodyTimeout, bodyTimeout)

export const layer = (options: TestServerOptions = {}) => {
  const {
    catalog = BuiltinCatalog.layer,
    catalogOnLog = false,
    dispatches = false,
    queued = () => 0
  } = options
  const providers: typeof Node.parts.providers =
    options.providers === undefined && dispatches
      ? Node.parts.providers
      : Providers.layerOf(options.providers ?? [])
  const listener = Http.layerServerAt({ host: "127.0.0.1", port: 0 }, options.limits).pipe(
    Layer.provide(IdGenerator.layer)
  )
  const node = Node.layerWith({
    ...Node.parts,
    reactors: Layer.mergeAll(dispatches ? Dispatch.layerDispatching : Layer.empty),
    providers,
    queueDepth: Layer.succeed(QueueDepth, {
      of: (model) => Effect.sync(() => ({ queued: queued(model), position: GlobalPosition.beginning })),
      caughtUp: Effect.void
    }),
    publishes: catalogOnLog ? BuiltinPublishing.layer : Layer.empty,
    waiting: Expectations.layerEmpty,
    outbound: OutboundGuard.layer({ admitted: [], resolve: options.resolve ?? resolveFixed }),
    observers: Layer.empty,
    catalog: TestCatalog.contents(catalogOnLog ? null : catalog),
    beside: publicUrls(options.urls ?? {}).pipe(Layer.provide(listener)),
    store: storage(options.log ?? identity),
    projections: readSide(options.projections)
  })
  const server = Layer.effect(
    TestServer,
    Effect.gen(function* () {
      const { address } = yield* HttpServer.HttpServer
      return {
        port: portOf(address),
        urls: yield* PublicUrls,
        key: yield* openAccount("alpha"),
        otherKey: yield* openAccount("beta"),
        poorKey: yield* openAccount("gamma", "0")
      }
    })
  )
  return Layer.mergeAll(server, WorkerKeys.layer, FileSweep.layer).pipe(
    Layer.provideMerge(
      Server.layerWith({
        announces: Layer.empty,
        administration: Layer.empty,
        routes: options.serving ?? Http.layerNoServer,
        tools: options.tools ?? Layer.empty,
        opening: Layer.empty,
        listener,
        reports: Layer.empty,
        node,
        ground: Layer.mergeAll(Health.layer, SubmitSpans.layer, Telemetry.untraced)
      })
    ),
    Layer.provideMerge(TempDirectory.provide(DataDirectory.layerAt)),
    Layer.provide(settings),
    Layer.provide(bodyTimeout(options))
  )
}
