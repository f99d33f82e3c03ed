/**
 * Around every route: gives the exchange its correlation id, and an envelope to whatever no route has answered. An
 * unexpected error is logged under the id and told to the client as no more than that. A connection whose request is
 * answered before all of it has come ends with the answer.
 */
import { Cause, Effect, type Types } from "effect"
import * as HttpRouter from "effect/http/HttpRouter"
import { isHttpServerError } from "effect/http/HttpServerError"
import * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import { IdGenerator } from "#streams/IdGenerator.ts"
import * as Answer from "../Answer.ts"
import { CorrelationId } from "../CorrelationId.ts"
import { IfStopped } from "../IfStopped.ts"
import * as Refusal from "../Refusal.ts"
import { RouteTable } from "./RouteTable.ts"
import * as UnreadBody from "./UnreadBody.ts"

const hostMissing = Refusal.malformed("The Host header is missing.")

const make = Effect.gen(function* () {
  const ids = yield* IdGenerator
  const routes = yield* RouteTable

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
      const request = yield* HttpServerRequest.HttpServerRequest
      const correlationId = ids.next()
      const refuse = (refusal: Refusal.Refusal) => Answer.toResponse(refusal.toAnswer(correlationId))
      let noted: Answer.Answer | undefined
      const rescue = (cause: Cause.Cause<unknown>) =>
        // The client is gone, or the server is about to be: then it is told what there is, or to come back.
        Cause.hasInterruptsOnly(cause)
          ? Effect.sync(() => (noted === undefined ? refuse(Refusal.stopping) : Answer.toResponse(noted)))
          : Effect.map(refusalOf(cause, request), refuse)
      const response =
        request.headers["host"] === undefined
          ? refuse(hostMissing)
          : yield* handler.pipe(
              Effect.catchCause(rescue),
              Effect.provideService(CorrelationId, correlationId),
              Effect.provideService(IfStopped, (answer) => (noted = answer)),
              Effect.annotateLogs("request_id", correlationId)
            )
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
