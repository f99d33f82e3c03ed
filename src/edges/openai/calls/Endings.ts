/** How a request ended, as OpenAI's API shows it. */
import type { ErrorAnswer } from "#src/edges/http/ErrorAnswer.ts"
import * as ErrorOutcomes from "#src/features/providers/ErrorOutcomes.ts"
import type { Snapshot } from "#src/features/requests/Requests.ts"
import { failure, outcome } from "#domain/inference-request/Status.ts"
import * as OpenaiErrors from "../OpenaiErrors.ts"

/** The server has retried already, and another call would begin, and cost, from the start. */
const failed = (status: number, message: string, code: string): ErrorAnswer =>
  OpenaiErrors.server(status, message, code, OpenaiErrors.final)

const cut = "The request was cancelled while it ran. What it had delivered is kept and billed."

const notRun = "The provider could not run the request."

/** What the provider refused is the caller's to mend, in the words of the provider. */
const ofFailure = (message: string | null): ErrorAnswer => {
  const refused = message === null ? null : ErrorOutcomes.refusalIn(message)
  return refused === null
    ? failed(500, message ?? notRun, "model_failed")
    : OpenaiErrors.invalid(refused.said ?? notRun, null, "provider_refused")
}

/** `null` if it has an output. For a request that has ended. */
export const errorOf = ({ request }: Snapshot): ErrorAnswer | null => {
  switch (outcome(request)) {
    case "succeeded":
      return null
    // Without a finish, so that no client takes the part for the whole.
    case "partial":
      return request.isCut === true ? failed(500, cut, "request_cancelled") : null
    case "invalid_output":
      return failed(500, "The model's output does not match its declared schema.", "invalid_output")
    case "expired":
      return failed(503, "The request did not start or end in time, and was not billed.", "request_expired")
    case "cancelled":
      return failed(500, "The request was cancelled.", "request_cancelled")
    case "pending":
    case "failed":
    case "provider_failed":
      return ofFailure(failure(request))
  }
}
