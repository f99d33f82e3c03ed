/** How an ended request answers in fal's form. None of its statuses makes the client submit or read again. */
import { failure, outcome } from "#domain/inference-request/Status.ts"
import type { Snapshot } from "#src/features/requests/Requests.ts"
import * as FailureView from "#src/features/requests/views/FailureView.ts"
import * as Answer from "#src/edges/http/Answer.ts"

export const requestIdHeader = "x-fal-request-id"

/** Set to `user`, the client does not retry a 504. */
const timeoutTypeHeader = "x-fal-request-timeout-type"

export interface Failure {
  readonly status: number
  readonly message: string
  /** https://fal.ai/docs/documentation/model-apis/request-errors */
  readonly type: string
  /** Whether the model itself reports it, as a list. */
  readonly ofModel?: true
  readonly details?: FailureView.FailureDetails
}

const invalidOutput = "The model's output does not match its declared schema."

/** Why the request has no output; `null` for a request with one, or that has not ended. */
export const failureOf = ({ request }: Pick<Snapshot, "request">): Failure | null => {
  const reason = failure(request) ?? "The model failed."
  const details = FailureView.ofRequest(request)
  switch (outcome(request)) {
    case "pending":
    case "succeeded":
    case "partial":
      return null
    case "invalid_output":
      return { status: 500, message: invalidOutput, type: "internal_error" }
    case "provider_failed":
      return { status: 422, message: reason, type: "model_failed", ofModel: true, ...details }
    case "failed":
      return { status: 500, message: reason, type: "runner_server_error", ...details }
    case "cancelled":
      return cancelled
    case "expired":
      return { status: 504, message: "The request did not start or end in time.", type: "request_timeout" }
  }
}

/** Tells a part of an output from a whole one, which fal's form has no word for. */
export const partOf = ({ request }: Pick<Snapshot, "request">): { readonly outcome?: "partial" } =>
  outcome(request) === "partial" ? { outcome: "partial" } : {}

/** The same as a header of the output, whose body is the model's. */
export const partHeader = (snapshot: Pick<Snapshot, "request">): Answer.Headers => {
  const { outcome } = partOf(snapshot)
  return outcome === undefined ? {} : { "x-inferlog-outcome": outcome }
}

/** Ends a stream of which the client would take the last event for the whole output. */
export const cancelled: Failure = {
  status: 499,
  message: "The request was cancelled.",
  type: "client_cancelled"
}

const isTimeout = ({ status }: Failure): boolean => status === 504

export const bodyOf = ({ details, message, ofModel, type }: Failure) => ({
  detail: ofModel === true ? [{ loc: ["body"], msg: message, type }] : message,
  message,
  error_type: type,
  ...(details !== undefined && { details })
})

export const answerOf = (id: string, failure: Failure): Answer.TextAnswer =>
  Answer.json(failure.status, bodyOf(failure), {
    [requestIdHeader]: id,
    "x-fal-error-type": failure.type,
    ...(isTimeout(failure) && { [timeoutTypeHeader]: "user" })
  })
