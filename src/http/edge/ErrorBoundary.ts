/**
 * Around every route: gives the exchange its correlation id, and an envelope to whatever no route has answered. An
 * unexpected error is logged under the id and told to the client as no more than that. A connection whose request is
 * answered before all of it has come ends with the answer. What became of the exchange is told to `Exchanges`.
 */
import { Cause, Clock, Effect, type Types } from "effect"
import * as HttpRouter from "effect/http/HttpRouter"
import { ClientAbort, isHttpServerError } from "effect/http/HttpServerError"
import * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import { IdGenerator } from "#streams/IdGenerator.ts"
import * as Answer from "../Answer.ts"
import { CorrelationId } from "../CorrelationId.ts"
import * as Refusal from "../Refusal.ts"
import { clientClosed, Exchanges, RouteFound, unmatched } from "./Exchanges.ts"
import { RouteTable } from "./RouteTable.ts"
import * as UnreadBody from "./UnreadBody.ts"

const hostMissing = Refusal.malformed("The Host header is missing.")

const nanosPerMilli = 1e6

const make = Effect.gen(function* () {
  const ids = yield* IdGenerator
  const routes = yield* RouteTable
  const exchanges = yield* Exchanges
  const clock = yield* Clock.Clock
  const hotRoutes = new Set(["submit", "status", "result"].map(routes.path))

  const refusalOf = Effect.fnUntraced(function* (
    cause: Cause.Cause<unknown>,
    { headers, method, url }: HttpServerRequest.HttpServerRequest
  ) {
    const error = Cause.squash(cause)
    if (isHttpServerError(error) && error.reason._tag === "RouteNotFound") {
      return routes.refusal({ method, url, host: headers["host"] })
    }
    yield* Effect.logError("Unexpected error", cause)
    return Refusal.unexpected
  })

  return (handler: Response): Response =>
    Effect.gen(function* () {
      const began = clock.monotonicTimeNanosUnsafe()
      const request = yield* HttpServerRequest.HttpServerRequest
      const correlationId = ids.next()
      let route = unmatched
      let isClientGone = false
      const refuse = (refusal: Refusal.Refusal) => Answer.toResponse(refusal.toAnswer(correlationId))
      const rescue = (cause: Cause.Cause<unknown>) => {
        if (!Cause.hasInterruptsOnly(cause)) return Effect.map(refusalOf(cause, request), refuse)
        // The client is gone, or the server is about to be.
        isClientGone = cause.reasons.every(({ annotations }) => annotations.has(ClientAbort.key))
        return Effect.sync(() => refuse(Refusal.stopping))
      }
      const response =
        request.headers["host"] === undefined
          ? refuse(hostMissing)
          : yield* handler.pipe(
              Effect.catchCause(rescue),
              Effect.provideService(CorrelationId, correlationId),
              Effect.provideService(RouteFound, (path) => (route = path)),
              Effect.annotateLogs("request_id", correlationId)
            )
      exchanges({
        correlationId,
        method: request.method,
        route,
        status: isClientGone ? clientClosed : response.status,
        durationMs: Number(clock.monotonicTimeNanosUnsafe() - began) / nanosPerMilli,
        hot: hotRoutes.has(route)
      })
      return HttpServerResponse.setHeaders(response, {
        "x-content-type-options": "nosniff",
        "x-request-id": correlationId,
        ...(UnreadBody.isPending(request) ? { connection: "close" } : {})
      })
    })
})

type Response = Effect.Effect<
  HttpServerResponse.HttpServerResponse,
  Types.unhandled,
  HttpServerRequest.HttpServerRequest
>

export const layer = HttpRouter.middleware(make, { global: true })
