/** What the provider says of a request's error, as the `details` of every answer, event and webhook that shows the error. */
import { Schema } from "effect"
import { upstream } from "#domain/inference-request/Status.ts"
import type { VisibleRequest } from "#domain/inference-request/VisibleRequest.ts"
import type { UpstreamError } from "#domain/UpstreamError.ts"
import { Upstream } from "#src/platform/views/EnvelopeView.ts"

const Code = Schema.Literals(["REQUEST_FAILED", "UPSTREAM_FAILURE"])

export const FailureDetails = Schema.Struct({ code: Code, upstream: Upstream }).annotate({
  identifier: "FailureDetails",
  description: "What the provider says of the error. Absent if it says nothing besides the message."
})
export type FailureDetails = typeof FailureDetails.Type

/** A member of bodies with an error. */
export interface WithDetails {
  readonly details?: FailureDetails
}

const none: WithDetails = {}

/** @param upstream `null` if the provider says nothing. */
export const of = (status: "COMPLETED" | "FAILED", upstream: UpstreamError | null): WithDetails =>
  upstream === null
    ? none
    : { details: { code: status === "FAILED" ? "REQUEST_FAILED" : "UPSTREAM_FAILURE", upstream } }

/** Empty for a request without such an error. */
export const ofRequest = (request: Pick<VisibleRequest, "phase">): WithDetails =>
  of(request.phase._tag === "Failed" ? "FAILED" : "COMPLETED", upstream(request))

/** The same as a member of `details` that always have a code. */
export const upstreamOf = (request: Pick<VisibleRequest, "phase">): { readonly upstream?: UpstreamError } => {
  const said = upstream(request)
  return said === null ? {} : { upstream: said }
}
