/** A route of the declared API: what it takes and answers, and what serves it, in one value. */
import { Effect } from "effect"
import { type HttpApiEndpoint, OpenApi } from "effect/http-api"
import type { HttpServerRequest } from "effect/http/HttpServerRequest"
import type * as HttpServerResponse from "effect/http/HttpServerResponse"
import type { Caller } from "#src/features/accounts/Caller.ts"
import type * as Answer from "../Answer.ts"
import type { ServiceError } from "../ServiceErrors.ts"

export interface Call<Endpoint> {
  readonly request: HttpServerRequest
  /** As in the path, percent-decoded. */
  readonly params: HttpApiEndpoint.Params<Endpoint>["Type"]
  readonly query: HttpApiEndpoint.Query<Endpoint>["Type"]
  /** Added to every answer to this call. A handler that writes the response itself adds them, and its own win. */
  readonly headers: Answer.Headers
}

export type Reply = Effect.Effect<Answer.Answer | HttpServerResponse.HttpServerResponse, ServiceError>

/** A route for callers `Of` one kind: a `Caller` for an account, a `Worker`, `void` for public routes. */
export interface Route<Endpoint extends HttpApiEndpoint.Constraint, Of, E, R> {
  readonly endpoint: Endpoint
  /** Built once, when the server starts. */
  readonly serve: Effect.Effect<(call: Call<Endpoint>, caller: Of) => Reply, E, R>
}

/**
 * @param services what the handler uses, found once, when the server starts.
 * @param handle takes these services, the call and its caller: the account's, unless its type says another.
 */
export const make = <Endpoint extends HttpApiEndpoint.Constraint, Services, E, R, Of = Caller>(
  endpoint: Endpoint,
  services: Effect.Effect<Services, E, R>,
  handle: (
    services: Services,
    call: Call<Endpoint>,
    caller: Of
  ) => Effect.fn.Return<Effect.Success<Reply>, Effect.Error<Reply>>
): Route<Endpoint, Of, E, R> => ({
  endpoint,
  serve: Effect.map(services, (found) =>
    Effect.fnUntraced(function (call: Call<Endpoint>, caller: Of) {
      return handle(found, call, caller)
    })
  )
})

/** For a handler that is made once, when the server starts, with state of its own. */
export const prepared = <Endpoint extends HttpApiEndpoint.Constraint, Of, E, R>(
  endpoint: Endpoint,
  serve: Route<Endpoint, Of, E, R>["serve"]
): Route<Endpoint, Of, E, R> => ({ endpoint, serve })

type EndpointsOf<Routes extends ReadonlyArray<{ readonly endpoint: unknown }>> = {
  readonly [Index in keyof Routes]: Routes[Index]["endpoint"]
}

/** For `HttpApiGroup.add`: what is declared is what is served. The name of an endpoint is its `operationId`. */
export const endpointsOf = <const Routes extends ReadonlyArray<{ readonly endpoint: unknown }>>(
  routes: Routes
): EndpointsOf<Routes> => {
  const declared = routes as unknown as ReadonlyArray<{ readonly endpoint: HttpApiEndpoint.Top }>
  const named = declared.map(({ endpoint }) => endpoint.annotate(OpenApi.Identifier, endpoint.identifier))
  return named as unknown as EndpointsOf<Routes>
}
