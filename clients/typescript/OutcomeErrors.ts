/** How a request can end without an output. `run` throws them, and so does `result`. */
import { ApiError, type Failure } from "./ApiError.ts"
import type { Result } from "./Wire.ts"

/** The request ended without an output. `status` and `code` are those of the result route. */
export class RequestOutcomeError extends ApiError {
  /** The ended request; `null` where the answer does not have it. */
  readonly request: Result | null

  constructor(failure: Failure, request: Result | null) {
    super(failure)
    this.request = request
  }
}

/** The provider could not run it. */
export class RequestFailedError extends RequestOutcomeError {}
/** The provider ran it and reports a failure. */
export class UpstreamFailureError extends RequestOutcomeError {}
/** The output violates the model's schema. `details.validationErrors` lists each violation, where the answer has them. */
export class InvalidOutputError extends RequestOutcomeError {}
/** Somebody cancelled it. */
export class RequestCancelledError extends RequestOutcomeError {}
/** It did not start or end within the time that the submit allowed (`startTimeout`, `cancelAfter`). */
export class RequestExpiredError extends RequestCancelledError {}
