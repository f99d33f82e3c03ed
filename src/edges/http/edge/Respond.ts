/** Turns the error of a route into its answer. */
import { Effect } from "effect"
import type { Answer } from "../Answer.ts"
import type { ErrorAnswer } from "../ErrorAnswer.ts"
import { type ServiceError, toErrorAnswer } from "../ServiceErrors.ts"

/** How errors are sent. @param correlationId the call's. */
export type ErrorForm = (errorAnswer: ErrorAnswer, correlationId: string) => Answer

/** The contract's error envelope. */
export const envelope: ErrorForm = (errorAnswer, correlationId) => errorAnswer.toAnswer(correlationId)

/** Logs errors that are the server's fault, with the correlation id. The client sees no details. */
export const answerError = (
  error: ServiceError,
  correlationId: string,
  form: ErrorForm = envelope
): Effect.Effect<Answer> => {
  const answer = form(toErrorAnswer(error), correlationId)
  if (error._tag === "SecretsUnreadable") return Effect.as(Effect.logError(error.message), answer)
  return error._tag === "EventStoreError" || error._tag === "BlobStoreError" || error._tag === "SqlError"
    ? Effect.as(Effect.logError("Storage failed a request", error), answer)
    : Effect.succeed(answer)
}
