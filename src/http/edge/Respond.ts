/** From a route's answer, or the error it ends with, to the response of the declared API. */
import { Effect } from "effect"
import type * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as Answer from "../Answer.ts"
import { CorrelationId } from "../CorrelationId.ts"
import { type ServiceError, toRefusal } from "../ServiceErrors.ts"

/** Errors of storage are logged with the correlation id; the client learns no more than that there was one. */
export const answerError = Effect.fnUntraced(function* (error: ServiceError) {
  const correlationId = yield* CorrelationId
  if (error._tag === "EventStoreError" || error._tag === "BlobStoreError") {
    yield* Effect.logError("Storage failed a request", error)
  }
  return toRefusal(error).toAnswer(correlationId)
})

export const respond = <R>(
  answer: Effect.Effect<Answer.Answer, ServiceError, R>
): Effect.Effect<HttpServerResponse.HttpServerResponse, never, R> =>
  answer.pipe(Effect.catch(answerError), Effect.map(Answer.toResponse))
