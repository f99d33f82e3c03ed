import type { Failure } from "./ApiError.ts"
import * as OutcomeErrors from "./OutcomeErrors.ts"
import type { Outcome, RetrievedRequest } from "./Wire.ts"

type OutcomeClass = (typeof OutcomeErrors)[keyof typeof OutcomeErrors]
type Ending = readonly [type: OutcomeClass, name: string, status: number, code: string, message: string]

/** What the result route answers for each outcome without an output. */
const endings: Readonly<Partial<Record<Outcome, Ending>>> = {
  failed: [
    OutcomeErrors.RequestFailedError,
    "RequestFailedError",
    400,
    "REQUEST_FAILED",
    "The provider could not run the request"
  ],
  cancelled: [
    OutcomeErrors.RequestCancelledError,
    "RequestCancelledError",
    400,
    "REQUEST_CANCELLED",
    "The request was cancelled"
  ],
  expired: [
    OutcomeErrors.RequestExpiredError,
    "RequestExpiredError",
    400,
    "REQUEST_CANCELLED",
    "The request did not end in the time it was given"
  ],
  provider_failed: [
    OutcomeErrors.UpstreamFailureError,
    "UpstreamFailureError",
    422,
    "UPSTREAM_FAILURE",
    "The provider reports a failure"
  ],
  invalid_output: [
    OutcomeErrors.InvalidOutputError,
    "InvalidOutputError",
    422,
    "INVALID_OUTPUT",
    "The output does not match the model's schema"
  ]
}

/** The output of an ended request. Throws a `RequestOutcomeError` for one without. */
export const outputOf = (request: RetrievedRequest): unknown => {
  const ending = endings[request.outcome]
  if (ending === undefined) return request.output
  const [type, name, status, code, message] = ending
  const failure: Failure = {
    name,
    message: request.error ?? message,
    status,
    code,
    issues: [],
    details: { code },
    requestId: undefined,
    retryAfter: null
  }
  throw new type(failure, request)
}
