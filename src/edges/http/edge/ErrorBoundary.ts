/**
 * Wraps every route: assigns the correlation id, answers what no route has answered, and reports the exchange to
 * `Exchanges`. An unexpected error is logged under the id, and the client sees only the id. If an answer is ready
 * before the body has arrived, the connection closes after the answer.
 */
import type { ServerResponse } from "node:http"
import * as NodeHttpServerRequest from "@effect/platform-node/NodeHttpServerRequest"
import { Cause, Clock, Context, Effect, References, Stream, type Types } from "effect"
import * as HttpBody from "effect/http/HttpBody"
import * as HttpRouter from "effect/http/HttpRouter"
import { ClientAbort, isHttpServerError } from "effect/http/HttpServerError"
import * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import { IdGenerator } from "#streams/IdGenerator.ts"
import * as Answer from "../Answer.ts"
import * as ReaderErrorAnswers from "../ReaderErrorAnswers.ts"
import * as ErrorAnswer from "../ErrorAnswer.ts"
import * as BrowserOrigin from "./BrowserOrigin.ts"
import * as ClientAddress from "./ClientAddress.ts"
import * as CorrelationId from "./CorrelationId.ts"
import { clientClosed, Exchanges, timer, UnderWay, unmatched } from "./Exchanges.ts"
import { IsStopping } from "../Stopping.ts"
import { RouteTable } from "./RouteTable.ts"
import * as SlowReaders from "./SlowReaders.ts"
import * as PipelinedAnswer from "./PipelinedAnswer.ts"
import * as UnreadBody from "./UnreadBody.ts"

const make = Effect.gen(function* () {
  const ids = yield* IdGenerator
  const routes = yield* RouteTable
  const exchanges = yield* Exchanges
  const clock = yield* Clock.Clock
  const isStopping = yield* IsStopping
  const readers = yield* SlowReaders.SlowReaders
  const addressOf = yield* ClientAddress.make

  const isWithoutRoute = (cause: Cause.Cause<unknown>): boolean => {
    const error = Cause.squash(cause)
    return isHttpServerError(error) && error.reason._tag === "RouteNotFound"
  }

  const errorAnswerOf = Effect.fnUntraced(function* (
    cause: Cause.Cause<unknown>,
    { headers, method, url }: HttpServerRequest.HttpServerRequest
  ) {
    if (isWithoutRoute(cause)) return routes.errorAnswer({ method, url, host: headers["host"] })
    yield* Effect.logError("Unexpected error", cause)
    return routes.formOf(url)(ErrorAnswer.unexpected)
  })

  return (handler: Response): Response =>
    Effect.flatMap(HttpServerRequest.HttpServerRequest, (request) => {
      const elapsedMs = timer(clock)
      const correlationId = CorrelationId.next(ids)
      let route = unmatched
      let isClientGone = false
      let accountId: string | null = null
      let carried = Answer.noHeaders
      const refuse = (errorAnswer: ErrorAnswer.ErrorAnswer) =>
        Answer.toResponse(errorAnswer.toAnswer(correlationId), correlationId)
      /** The answer to a browser that asks before a call of a page (Fetch standard, "CORS-preflight fetch"). */
      const preflightOf = (cause: Cause.Cause<unknown>) => {
        const { headers, method, url } = request
        if (!BrowserOrigin.isPreflight(method, headers) || !isWithoutRoute(cause)) return null
        const found = routes.preflight({ method, url, host: headers["host"] })
        if (found === null) return null
        route = found.path
        return Answer.toResponse(found.answer, correlationId)
      }
      const rescue = (cause: Cause.Cause<unknown>) => {
        const preflight = preflightOf(cause)
        if (preflight !== null) return Effect.succeed(preflight)
        if (!Cause.hasInterruptsOnly(cause)) return Effect.map(errorAnswerOf(cause, request), refuse)
        // The client has left, or the server is stopping.
        isClientGone = cause.reasons.every(({ annotations }) => annotations.has(ClientAbort.key))
        return Effect.sync(() => refuse(routes.formOf(request.url)(ErrorAnswer.stopping)))
      }
      const withOwn = (services: Context.Context<HttpServerRequest.HttpServerRequest>) =>
        services.pipe(
          Context.add(UnderWay, {
            correlationId,
            found: (path) => void (route = path),
            admitted: (id) => void (accountId = id),
            carries: (headers) => void (carried = headers)
          }),
          Context.add(References.CurrentLogAnnotations, { request_id: correlationId })
        )
      /** Refuses a large answer if too many bytes wait to be read. */
      const fitting = (answer: HttpServerResponse.HttpServerResponse) => {
        const bytes = heldBytes(answer)
        if (bytes === 0 || request.method === "HEAD") return answer
        // The server speaks only HTTP/1.
        const response = NodeHttpServerRequest.toServerResponse(request) as ServerResponse
        const full = readers.admit(response, { bytes, accountId, address: () => addressOf(request) })
        return full === null
          ? inTurn(answer, response)
          : refuse(routes.formOf(request.url)(ReaderErrorAnswers.of(full)))
      }
      const end = (answer: HttpServerResponse.HttpServerResponse) => {
        const fitted = fitting(answer)
        const response =
          carried === Answer.noHeaders ? fitted : HttpServerResponse.setHeaders(fitted, carried)
        exchanges({
          correlationId,
          method: request.method,
          route,
          status: isClientGone ? clientClosed : response.status,
          durationMs: elapsedMs()
        })
        return complete(response, correlationId, isStopping() || UnreadBody.isPending(request))
      }
      return handler.pipe(Effect.catchCause(rescue), Effect.updateContext(withOwn), Effect.map(end))
    })
})

/** Bytes that an answer takes in memory until it is read. Text counts twice: as a string and as bytes. */
const heldBytes = ({ body }: HttpServerResponse.HttpServerResponse): number => {
  switch (body._tag) {
    case "Uint8Array":
      return 2 * body.contentLength
    case "Stream":
      return Math.min(body.contentLength ?? SlowReaders.window, SlowReaders.window)
    default:
      return 0
  }
}

/** An answer that waits behind others of its connection reads nothing yet. */
const inTurn = (answer: HttpServerResponse.HttpServerResponse, response: ServerResponse) => {
  const { body } = answer
  if (body._tag !== "Stream" || response.socket !== null) return answer
  const stream = Stream.unwrap(Effect.as(PipelinedAnswer.connected(response), body.stream))
  return HttpServerResponse.setBody(answer, HttpBody.stream(stream, body.contentType, body.contentLength))
}

/** Answers already have these headers; files and pages get them here. */
const complete = (
  response: HttpServerResponse.HttpServerResponse,
  correlationId: string,
  isClosing: boolean
): HttpServerResponse.HttpServerResponse => {
  if (!isClosing && response.headers["x-request-id"] !== undefined) return response
  return HttpServerResponse.setHeaders(response, {
    "x-content-type-options": "nosniff",
    "x-request-id": correlationId,
    ...(isClosing ? { connection: "close" } : {})
  })
}

type Response = Effect.Effect<
  HttpServerResponse.HttpServerResponse,
  Types.unhandled,
  HttpServerRequest.HttpServerRequest
>

export const layer = HttpRouter.middleware(make, { global: true })
