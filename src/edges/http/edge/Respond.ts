/** Turns the error of a route into its answer. */
import { Effect } from "effect"
import type { Answer } from "../Answer.ts"
import { type ServiceError, toErrorAnswer } from "../ServiceErrors.ts"

/** Logs errors that are the server's fault, with the correlation id. The client sees no details. */
export const answerError = (error: ServiceError, correlationId: string): Effect.Effect<Answer> => {
  const answer = toErrorAnswer(error).toAnswer(correlationId)
  if (error._tag === "SecretsUnreadable") return Effect.as(Effect.logError(error.message), answer)
  return error._tag === "EventStoreError" || error._tag === "BlobStoreError" || error._tag === "SqlError"
    ? Effect.as(Effect.logError("Storage failed a request", error), answer)
    : Effect.succeed(answer)
}
