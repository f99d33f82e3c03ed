/** How a request ended, as OpenAI's API shows it. */
import type { ErrorAnswer } from "#src/edges/http/ErrorAnswer.ts"
import * as ErrorOutcomes from "#src/features/providers/ErrorOutcomes.ts"
import type { Snapshot } from "#src/features/requests/Requests.ts"
import { failure, outcome, upstream } from "#domain/inference-request/Status.ts"
import type { UpstreamError } from "#domain/UpstreamError.ts"
import * as OpenaiErrors from "../OpenaiErrors.ts"

/** The server has retried already, and another call would begin, and cost, from the start. */
const failed = (status: number, message: string, code: string): ErrorAnswer =>
  OpenaiErrors.server(status, message, code, OpenaiErrors.final)

const cut = "The request was cancelled while it ran. What it had delivered is kept and billed."

const notRun = "The provider could not run the request."

/** The statuses of an upstream that concern its caller, which is this server, and not the request. */
const ours: ReadonlySet<number> = new Set([401, 402, 403, 407, 429])

/**
 * The status of the provider's error, where it has one that concerns the request. An error without one that names what is
 * wrong with the request is the caller's to mend.
 */
const statusOf = ({ code, status, type }: UpstreamError): number => {
  if (status !== undefined) return status >= 400 && status <= 599 && !ours.has(status) ? status : 500
  return type === "invalid_request_error" || code === "context_length_exceeded" ? 400 : 500
}

/** What the provider refused is the caller's to mend, in the words of the provider. */
const ofFailure = (message: string | null, upstream: UpstreamError | null): ErrorAnswer => {
  const refused = message === null ? null : ErrorOutcomes.refusalIn(message)
  const shown = refused === null ? (message ?? notRun) : (refused.said ?? notRun)
  if (refused !== null) {
    // Requests that ended before the upstream's error was kept have its status in the message.
    const known = { ...upstream, status: refused.status }
    return OpenaiErrors.ofUpstream(statusOf(known), {
      message: shown,
      code: "provider_refused",
      upstream: known
    })
  }
  return upstream === null
    ? failed(500, shown, "model_failed")
    : OpenaiErrors.ofUpstream(statusOf(upstream), { message: shown, code: "model_failed", upstream })
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
      return ofFailure(failure(request), upstream(request))
  }
}
