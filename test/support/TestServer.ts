/**
 * The HTTP API over the real application services, on a free port and a new data directory. Without a dispatcher:
 * tests move requests to the state that they need (`Lifecycle`).
 */
import type { ServerOptions } from "node:http"
import * as path from "node:path"
import { Context, type Duration, Effect, identity, Layer, References } from "effect"
import * as HttpServer from "effect/http/HttpServer"
import { NetAddress } from "effect/net"
import * as CatalogProjection from "#projections/catalog/CatalogProjection.ts"
import * as DeliveriesProjection from "#projections/deliveries/DeliveriesProjection.ts"
import * as DueWorkProjection from "#projections/due-work/DueWorkProjection.ts"
import { Ledger } from "#projections/ledger/Ledger.ts"
import * as FilesProjection from "#projections/files/FilesProjection.ts"
import * as LedgerProjection from "#projections/ledger/LedgerProjection.ts"
import type { Projection } from "#projections/Projection.ts"
import * as HistoryProjection from "#projections/history/HistoryProjection.ts"
import * as KeysProjection from "#projections/keys/KeysProjection.ts"
import { Projections } from "#projections/Projections.ts"
import { ReadModels } from "#projections/ReadModels.ts"
import { KeyId } from "#domain/Ids.ts"
import { AccountActors } from "#src/features/accounts/AccountActors.ts"
import { ConsoleSessionActors } from "#src/features/accounts/sessions/ConsoleSessionActors.ts"
import { Accounts } from "#src/features/accounts/Accounts.ts"
import * as ApiKey from "#src/features/accounts/ApiKey.ts"
import { Authentication } from "#src/features/accounts/Authentication.ts"
import { KeyRing } from "#src/features/accounts/KeyRing.ts"
import { Passwords } from "#src/features/accounts/Passwords.ts"
import { Tokens } from "#src/features/accounts/tokens/Tokens.ts"
import { RateLimits } from "#src/features/accounts/RateLimits.ts"
import { Funds } from "#src/features/funds/Funds.ts"
import { Statements } from "#src/features/billing/Statements.ts"
import { BodyTimeout } from "#src/edges/http/edge/BodyReader.ts"
import * as Http from "#src/edges/server/HttpServer.ts"
import * as BuiltinPublishing from "#src/features/manifests/BuiltinPublishing.ts"
import { CatalogSearch } from "#src/features/catalog/CatalogSearch.ts"
import { Expectations } from "#src/features/catalog/Expectations.ts"
import { FileActors } from "#src/features/media/storage/FileActors.ts"
import * as BuiltinCatalog from "#src/features/catalog/models/BuiltinCatalog.ts"
import type { Catalog } from "#src/features/catalog/models/Catalog.ts"
import * as Mcp from "#src/edges/mcp/Mcp.ts"
import type { Open, Registrations } from "#src/edges/mcp/McpEndpoint.ts"
import { PublicUrls, type Urls } from "#src/kernel/settings/PublicUrls.ts"
import * as OAuth from "#src/edges/oauth/OAuth.ts"
import { OAuthDatabase } from "#src/edges/oauth/OAuthDatabase.ts"
import { SignIn } from "#src/edges/oauth/SignIn.ts"
import { Callbacks } from "#src/features/providers/Callbacks.ts"
import { ProviderHealth } from "#src/features/provider-health/ProviderHealth.ts"
import { DeadlineHints } from "#src/features/requests/DeadlineHints.ts"
import * as ActorRequests from "#src/features/requests/ActorRequests.ts"
import { IdempotencyKeyActors } from "#src/features/requests/IdempotencyKeyActors.ts"
import { QueueDepth } from "#src/features/requests/QueueDepth.ts"
import { RequestActors } from "#src/features/requests/RequestActors.ts"
import * as FollowedOutput from "#src/features/live-output/FollowedOutput.ts"
import { RequestHistory } from "#src/features/requests/RequestHistory.ts"
import { RequestChanges } from "#src/features/requests/RequestChanges.ts"
import { MasterKey } from "#src/kernel/secrets/MasterKey.ts"
import { Eraser } from "#src/features/retention/Eraser.ts"
import { SteadyTime } from "#src/kernel/time/SteadyTime.ts"
import * as Health from "#src/platform/health/Health.ts"
import { ProjectionPace } from "#src/platform/health/ProjectionPace.ts"
import * as QueueHealth from "#src/platform/health/QueueHealth.ts"
import { EventStore } from "#streams/EventStore.ts"
import * as FileBlobStore from "#streams/FileBlobStore.ts"
import { IdGenerator } from "#streams/IdGenerator.ts"
import { Payloads } from "#streams/Payload.ts"
import * as SqliteEventStore from "#streams/sqlite/SqliteEventStore.ts"
import * as OutboundGuard from "#test/support/src/kernel/outbound/OutboundGuard.ts"
import * as FileServices from "./FileServices.ts"
import * as MediaServices from "./MediaServices.ts"
import * as Scratch from "./Scratch.ts"
import * as OutputChunks from "./OutputChunks.ts"
import * as TempDirectory from "./TempDirectory.ts"
import * as TestCatalog from "./TestCatalog.ts"
import { plenty, usd } from "./TestAccounts.ts"
import * as WebhookServices from "./WebhookServices.ts"
import * as WorkerServices from "./WorkerServices.ts"

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

const readSide = (projections: ReadonlyArray<Projection> = usual) =>
  Layer.merge(Ledger.layer, QueueHealth.layer.pipe(Layer.provideMerge(ProjectionPace.layer)))
    .pipe(
      Layer.provideMerge(ReadModels.layer),
      Layer.provideMerge(
        TempDirectory.provide((directory) =>
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
      )
    )
    .pipe(Layer.provide(Layer.succeed(References.MinimumLogLevel, "Warn")))

const storage = TempDirectory.provide((directory) =>
  Layer.mergeAll(
    SqliteEventStore.layer(directory),
    FileBlobStore.layer({ root: path.join(directory, "blobs"), isShared: false })
  )
)

const oauthDatabase = TempDirectory.provide((directory) =>
  OAuthDatabase.layerAt(path.join(directory, "oauth.sqlite"))
)

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

const actors = Layer.mergeAll(
  RequestActors.layer,
  IdempotencyKeyActors.layer,
  AccountActors.layer,
  ConsoleSessionActors.layer,
  FileActors.layer,
  WebhookServices.actors,
  DeadlineHints.layer
)

/** `null`: the models on the log, where the built-in models are published first. */
const offered = (catalog: Layer.Layer<Catalog> | null) =>
  (catalog === null ? BuiltinPublishing.layer : Layer.empty).pipe(
    Layer.provideMerge(TestCatalog.layer(catalog))
  )

const services = ({
  catalog = BuiltinCatalog.layer,
  catalogOnLog = false,
  projections,
  queued = () => 0,
  resolve = resolveFixed,
  tools = Layer.empty
}: TestServerOptions) =>
  Layer.mergeAll(
    RequestHistory.layer,
    FollowedOutput.layer,
    WebhookServices.layer,
    FileServices.layer,
    Statements.layer,
    Authentication.layer,
    RateLimits.layer,
    KeyRing.layer,
    Tokens.layer,
    Passwords.layer,
    Accounts.layer,
    Callbacks.layer,
    WorkerServices.layer
  ).pipe(
    (clients) => Layer.provideMerge(Layer.merge(OAuth.layer, SignIn.layer), clients),
    (clients) => Layer.provideMerge(Mcp.layerWith(tools), clients),
    Layer.provideMerge(Scratch.layer),
    Layer.provideMerge(oauthDatabase),
    Layer.provideMerge(ActorRequests.layer),
    Layer.provideMerge(Layer.mergeAll(RequestChanges.layer, Funds.layer)),
    Layer.provideMerge(Eraser.layer),
    Layer.provideMerge(OutputChunks.layer),
    Layer.provideMerge(MediaServices.store),
    Layer.provideMerge(actors),
    Layer.provideMerge(
      Layer.mergeAll(
        Payloads.layer,
        SteadyTime.layer,
        ProviderHealth.layer,
        Expectations.layerEmpty,
        OutboundGuard.layer({ admitted: [], resolve }),
        CatalogSearch.layer,
        offered(catalogOnLog ? null : catalog).pipe(Layer.provideMerge(readSide(projections)))
      )
    ),
    Layer.provideMerge(MasterKey.layerOf(Buffer.alloc(32))),
    Layer.provide(Layer.succeed(QueueDepth, { of: (model) => Effect.sync(() => queued(model)) }))
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
  return Layer.merge(server, options.serving ?? Http.layerNoServer).pipe(
    Layer.provideMerge(services(options)),
    Layer.provideMerge(Layer.effect(EventStore, Effect.map(EventStore, options.log ?? identity))),
    Layer.provideMerge(storage),
    Layer.provideMerge(publicUrls(options.urls ?? {})),
    Layer.provideMerge(Http.layerServerAt({ host: "127.0.0.1", port: 0 }, options.limits)),
    Layer.provideMerge(IdGenerator.layer),
    Layer.provide(Health.layer),
    Layer.provide(bodyTimeout(options))
  )
}
