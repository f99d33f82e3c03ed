/** The declared API on a Node server, at `HOST` and `PORT`. */
import type * as http from "node:http"
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import { Context, Deferred, Effect, Layer } from "effect"
import * as HttpRouter from "effect/http/HttpRouter"
import { HttpServer as Server } from "effect/http/HttpServer"
import { listenAddress } from "#src/kernel/settings/ListenAddress.ts"
import { OperatorActions } from "#src/features/operators/OperatorActions.ts"
import { IdGenerator } from "#streams/IdGenerator.ts"
import { Api } from "./Api.ts"
import * as AccountApi from "#src/edges/api/account/AccountApi.ts"
import * as AssetsApi from "#src/edges/console/assets/AssetsApi.ts"
import * as CallbacksApi from "#src/edges/api/providers/CallbacksApi.ts"
import * as CatalogApi from "#src/edges/api/catalog/CatalogApi.ts"
import * as ComputeApi from "#src/edges/api/catalog/ComputeApi.ts"
import * as FalParts from "#src/edges/fal/files/FalParts.ts"
import * as FalApi from "#src/edges/fal/FalApi.ts"
import * as PricingApi from "#src/edges/api/catalog/PricingApi.ts"
import * as Files from "#src/edges/api/files/FilesApi.ts"
import * as HistoryApi from "#src/edges/api/requests/history/HistoryApi.ts"
import * as Keys from "#src/edges/api/keys/KeysApi.ts"
import * as McpApi from "#src/edges/mcp/routes/McpApi.ts"
import * as Media from "#src/edges/api/files/MediaApi.ts"
import * as AssistantsApi from "#src/edges/oauth/routes/AssistantsApi.ts"
import * as AuthorizeApi from "#src/edges/oauth/routes/AuthorizeApi.ts"
import * as OAuthApi from "#src/edges/oauth/routes/OAuthApi.ts"
import * as OpenaiApi from "#src/edges/openai/OpenaiApi.ts"
import * as OpenaiErrors from "#src/edges/openai/OpenaiErrors.ts"
import * as Queue from "#src/edges/api/requests/QueueApi.ts"
import * as ReplicateApi from "#src/edges/replicate/ReplicateApi.ts"
import * as SignInApi from "#src/edges/oauth/routes/SignInApi.ts"
import * as StreamsApi from "#src/edges/api/requests/streams/StreamsApi.ts"
import * as OpenApiDocument from "./system/OpenApiDocument.ts"
import * as SystemApi from "./system/SystemApi.ts"
import * as TimelineApi from "#src/edges/api/requests/history/TimelineApi.ts"
import * as Uploads from "#src/edges/api/files/UploadsApi.ts"
import * as Webhooks from "#src/edges/api/webhooks/WebhooksApi.ts"
import * as Workers from "#src/edges/api/workers/WorkersApi.ts"
import * as ConsoleCalls from "#src/edges/console/sessions/ConsoleCalls.ts"
import * as SessionsApi from "#src/edges/console/sessions/SessionsApi.ts"
import * as AdminDocument from "./admin/AdminDocument.ts"
import * as AdminListener from "./admin/AdminListener.ts"
import { Admission } from "#src/edges/http/edge/Admission.ts"
import * as ClientErrors from "#src/edges/http/edge/ClientErrors.ts"
import * as Connections from "#src/edges/http/edge/Connections.ts"
import * as CorrelationId from "#src/edges/http/edge/CorrelationId.ts"
import * as ErrorBoundary from "#src/edges/http/edge/ErrorBoundary.ts"
import { EventStreams } from "#src/edges/http/edge/EventStreams.ts"
import { Exchanges, unmatched } from "#src/edges/http/edge/Exchanges.ts"
import * as FrontedServer from "#src/edges/http/edge/FrontedServer.ts"
import * as OutgoingAnswer from "#src/edges/http/edge/OutgoingAnswer.ts"
import { roomLimits } from "#src/edges/http/edge/ReaderLimits.ts"
import { usualPace } from "#src/edges/http/edge/Reader.ts"
import { routerConfig, RouteTable } from "#src/edges/http/edge/RouteTable.ts"
import * as SlowReaders from "#src/edges/http/edge/SlowReaders.ts"
import * as FastPath from "./FastPath.ts"
import * as ErrorAnswer from "#src/edges/http/ErrorAnswer.ts"
import { RequestHandlers } from "#src/edges/api/requests/RequestHandlers.ts"
import { IsStopping, Stopping } from "#src/edges/http/Stopping.ts"

const routeTable = RouteTable.layer(Api, OpenaiErrors.formOf)

/** Of both APIs on one port. */
const administeredTable = RouteTable.layer(
  Api.addHttpApi(AdminDocument.besidePublic as never) as unknown as typeof Api,
  OpenaiErrors.formOf
)

const describeApi = Layer.succeed(OpenApiDocument.DescribeApi, (urls) => OpenApiDocument.make(Api, urls))

/** The public routes. */
const publicRoutes = Layer.mergeAll(
  Queue.layer,
  HistoryApi.layer,
  TimelineApi.layer,
  StreamsApi.layer,
  Webhooks.layer,
  Uploads.layer,
  Files.layer,
  AccountApi.layer,
  Keys.layer,
  AssistantsApi.layer,
  Media.layer,
  CatalogApi.layer,
  PricingApi.layer,
  ComputeApi.layer,
  CallbacksApi.layer,
  Workers.layer,
  OAuthApi.layer,
  AuthorizeApi.layer,
  SignInApi.layer,
  ReplicateApi.layer,
  McpApi.layer,
  FalApi.layer,
  FalParts.layer,
  OpenaiApi.layer,
  AssetsApi.layer,
  SystemApi.layer
).pipe(Layer.provide([RequestHandlers.layer, EventStreams.layer, Admission.layer, describeApi]))

/** For any router. */
const routes = Layer.merge(publicRoutes, SessionsApi.accounts).pipe(
  Layer.provide(ErrorBoundary.layer),
  Layer.provide(routeTable)
)

/** The public routes and those of operators. */
const administeredRoutes = Layer.mergeAll(
  publicRoutes,
  AdminListener.routes,
  SessionsApi.everybody.pipe(Layer.provide(OperatorActions.layer))
).pipe(Layer.provide(ErrorBoundary.layer), Layer.provide(administeredTable))

/** The hot routes, before the declared ones. */
export const fastPath = FastPath.layer.pipe(
  Layer.provide([RequestHandlers.layer, Admission.layer, routeTable])
)

const serveOptions = { disableLogger: true, disableListenLog: true, routerConfig }

/** The declared API on the given server. */
export const declared = HttpRouter.serve(routes, serveOptions)

/** The fast path closes after the routes, which wait for requests in progress. */
export const layerNoServer = declared.pipe(Layer.provide([fastPath, ConsoleCalls.accounts]))

/** The same, with administration on the same port. */
export const layerAdministered = HttpRouter.serve(administeredRoutes, serveOptions).pipe(
  Layer.provide([fastPath, ConsoleCalls.everybody])
)

/**
 * Limits against clients that keep connections open without sending requests; times in ms. Bodies have limits of their own
 * (`BodyReader`, `UnreadBody`). Idle connections stay open longer than those of most load balancers.
 */
export const limits: http.ServerOptions = {
  maxHeaderSize: 16 * 1024,
  headersTimeout: 15_000,
  connectionsCheckingInterval: 5_000,
  requestTimeout: 0,
  keepAliveTimeout: 75_000,
  // No route upgrades connections.
  shouldUpgradeCallback: () => false,
  // A request without Host is refused in the error envelope.
  requireHostHeader: false
}

/**
 * Binds the port before the server serves. Port 0 is any free port.
 *
 * @param overrides limits for tests.
 */
export const layerServerAt = (
  address: { readonly host: string; readonly port: number },
  overrides: http.ServerOptions = {}
) => Layer.merge(Layer.effectContext(bind(address, overrides)), NodeHttpServer.layerHttpServices)

const bind = Effect.fnUntraced(function* (
  address: { readonly host: string; readonly port: number },
  overrides: http.ServerOptions
) {
  const ids = yield* IdGenerator
  const nextId = () => CorrelationId.next(ids)
  const stopping = yield* Deferred.make<void>()
  const refuse = refuseWith(nextId, yield* Exchanges)
  const fronted = FrontedServer.make(
    { ...limits, ...overrides },
    {
      onClose: () => Deferred.doneUnsafe(stopping, Effect.void),
      refuseLate: refuse(ErrorAnswer.stopping),
      refusePipelined: refuse(ErrorAnswer.pipelined),
      refuseFault: refuse
    }
  )
  const node = fronted.server
  ClientErrors.install(node, nextId)
  Connections.observe(node, yield* Connections.Connections)
  const readers = SlowReaders.make({
    pace: usualPace,
    limits: yield* roomLimits,
    events: yield* SlowReaders.ReaderEvents
  })
  readers.observe(node)
  yield* Effect.forkScoped(SlowReaders.watching(readers))
  const server = yield* NodeHttpServer.make(() => node, {
    ...address,
    // The whole process has two seconds (decisions). The rest is for runs and the log.
    gracefulShutdownTimeout: "600 millis"
  })
  // All requests have ended at this point. The remaining connections belong to clients that do not read.
  yield* Effect.addFinalizer(() => Effect.sync(() => node.closeAllConnections()))
  return Context.make(Server, server).pipe(
    Context.add(FrontedServer.Front, fronted.front),
    Context.add(SlowReaders.SlowReaders, readers),
    Context.add(Stopping, Deferred.await(stopping)),
    Context.add(IsStopping, fronted.isClosing)
  )
})

const refuseWith =
  (nextId: () => string, exchanges: typeof Exchanges.Service) =>
  (errorAnswer: ErrorAnswer.ErrorAnswer): FrontedServer.Closing["refuseLate"] =>
  (request, response) => {
    const correlationId = nextId()
    OutgoingAnswer.write(request, response, errorAnswer.toAnswer(correlationId), correlationId)
    const { method = "" } = request
    exchanges({ correlationId, method, route: unmatched, status: errorAnswer.status, durationMs: 0 })
  }

export const layerServer = Layer.unwrap(Effect.map(listenAddress, (address) => layerServerAt(address)))
