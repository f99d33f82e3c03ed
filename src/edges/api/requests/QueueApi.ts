/** The request lifecycle (contract). Its handlers are the service `RequestHandlers`, which `FastPath` also serves. */
import { Effect, Layer } from "effect"
import { type HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import type { Caller } from "#src/features/accounts/Caller.ts"
import * as Authorization from "#src/edges/http/api/Authorization.ts"
import * as DeclaredRoutes from "#src/edges/http/api/DeclaredRoutes.ts"
import * as Route from "#src/edges/http/api/Route.ts"
import { ServedOn } from "#src/edges/http/api/RouteAnnotations.ts"
import { EventStreams } from "#src/edges/http/edge/EventStreams.ts"
import * as BodyReader from "#src/edges/http/edge/BodyReader.ts"
import * as JsonBody from "#src/edges/http/requests/JsonBody.ts"
import * as Cancel from "./Cancel.ts"
import * as Erase from "./Erase.ts"
import { RequestHandlers } from "./RequestHandlers.ts"
import * as Result from "./Result.ts"
import * as Retrieve from "./Retrieve.ts"
import * as Status from "./Status.ts"
import * as SubmitEndpoint from "./SubmitEndpoint.ts"
import * as SubmitStream from "./SubmitStream.ts"

const route = <Endpoint extends HttpApiEndpoint.Constraint>(
  endpoint: Endpoint,
  handle: (handlers: RequestHandlers["Service"], call: Route.Call<Endpoint>, caller: Caller) => Route.Reply
) =>
  Route.prepared(
    endpoint,
    Effect.map(
      RequestHandlers,
      (handlers) => (call: Route.Call<Endpoint>, caller: Caller) => handle(handlers, call, caller)
    )
  )

const submitRequest = Route.prepared(
  SubmitEndpoint.endpoint,
  Effect.gen(function* () {
    const { submit } = yield* RequestHandlers
    const submitStream = yield* SubmitStream.make
    return (call: Route.Call<typeof SubmitEndpoint.endpoint>, caller: Caller): Route.Reply => {
      const { params, query, request } = call
      if (SubmitStream.isWanted(request.headers)) return submitStream(call, caller)
      const readBody = (grow: BodyReader.Grow) => BodyReader.read(request, JsonBody.maxBytes, grow)
      return submit({ caller, params, headers: request.headers, wait: query.wait, readBody })
    }
  })
)

const routes = [
  submitRequest,
  route(Status.endpoint, ({ status }, { params, query, request }, caller) =>
    status({ caller, params, headers: request.headers, wait: query.wait })
  ),
  route(Result.endpoint, ({ result }, { params }, caller) => result({ caller, params })),
  route(Cancel.byGet, ({ cancel }, { params }, caller) => cancel({ caller, params })),
  route(Cancel.byPut, ({ cancel }, { params }, caller) => cancel({ caller, params })),
  route(Cancel.byPost, ({ cancel }, { params }, caller) => cancel({ caller, params })),
  route(Retrieve.endpoint, ({ retrieve }, { params }, caller) => retrieve({ caller, params })),
  route(Erase.endpoint, ({ erase }, { params }, caller) => erase({ caller, params }))
] as const

export class QueueApi extends HttpApiGroup.make("queue")
  .add(...Route.endpointsOf(routes))
  .middleware(Authorization.Authorization)
  .annotate(ServedOn, ["queue"])
  .annotate(OpenApi.Title, "Requests")
  .annotate(OpenApi.Description, "Submit inference requests and follow them to their end.") {}

export const layer = DeclaredRoutes.layer(Authorization.admit, routes).pipe(Layer.provide(EventStreams.layer))
