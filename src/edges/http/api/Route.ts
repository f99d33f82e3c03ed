/** A route of the declared API: what it takes and answers, and what serves it, in one value. */
import type { Effect } from "effect"
import type { HttpApiEndpoint } from "effect/http-api"
import type { HttpServerRequest } from "effect/http/HttpServerRequest"
import type * as HttpServerResponse from "effect/http/HttpServerResponse"
import type * as Answer from "../Answer.ts"
import type { ServiceError } from "../ServiceErrors.ts"

export interface Call<Endpoint> {
  readonly request: HttpServerRequest
  /** As in the path, percent-decoded. */
  readonly params: HttpApiEndpoint.Params<Endpoint>["Type"]
  readonly query: HttpApiEndpoint.Query<Endpoint>["Type"]
  /**
   * Headers that every answer to this call carries. They are added to the handler's answer. A handler that writes the response
   * itself adds them, and its own headers win.
   */
  readonly headers: Answer.Headers
}

export type Reply = Effect.Effect<Answer.Answer | HttpServerResponse.HttpServerResponse, ServiceError>

/** A route for callers of one kind: `Caller` is the account's, `Worker` a worker's, `void` of a public route. */
export interface Route<Endpoint extends HttpApiEndpoint.Constraint, Caller, E, R> {
  readonly endpoint: Endpoint
  /** Built once, when the server starts. */
  readonly serve: Effect.Effect<(call: Call<Endpoint>, caller: Caller) => Reply, E, R>
}

export const make = <Endpoint extends HttpApiEndpoint.Constraint, Caller, E, R>(
  endpoint: Endpoint,
  serve: Effect.Effect<(call: Call<Endpoint>, caller: Caller) => Reply, E, R>
): Route<Endpoint, Caller, E, R> => ({ endpoint, serve })

type EndpointsOf<Routes extends ReadonlyArray<{ readonly endpoint: unknown }>> = {
  readonly [Index in keyof Routes]: Routes[Index]["endpoint"]
}

/** For `HttpApiGroup.add`: what is declared is what is served. */
export const endpointsOf = <const Routes extends ReadonlyArray<{ readonly endpoint: unknown }>>(
  routes: Routes
): EndpointsOf<Routes> => routes.map(({ endpoint }) => endpoint) as unknown as EndpointsOf<Routes>
