/** From the error that a route ends with to its answer. */
import { Effect } from "effect"
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
