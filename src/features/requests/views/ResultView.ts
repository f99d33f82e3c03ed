/** The result object (contract, "Result / webhook payload"), and the errors that replace it. */
import { Schema } from "effect"
import type { Json } from "#domain/CanonicalJson.ts"
import * as Money from "#domain/Money.ts"
import { BillingStatus } from "#domain/inference-request/Event.ts"
import {
  billingStatus,
  cost,
  failure,
  outcome,
  OutcomeWord,
  status,
  Status
} from "#domain/inference-request/Status.ts"
import type { Urls } from "#src/kernel/settings/PublicUrls.ts"
import type * as WaitingFor from "#src/features/provider-health/WaitingFor.ts"
import type { Snapshot } from "../Requests.ts"
import { Upstream, Violation } from "#src/platform/views/EnvelopeView.ts"
import * as FailureView from "./FailureView.ts"
import * as MediaView from "./MediaView.ts"
import * as RequestUrls from "./RequestUrls.ts"
import * as WaitView from "./WaitView.ts"
import type { VisibleRequest } from "#domain/inference-request/VisibleRequest.ts"
import * as WallTime from "#domain/inference-request/WallTime.ts"

/** Values where the result is processed, texts where it is sent. */
export interface RequestPayloads<Payload = Json> {
  readonly input: Payload
  readonly output: Payload
}

/** The body with payloads of this form. */
export type Shown<Body extends Omit<ResultBody, "details">, Payload> = Omit<Body, keyof RequestPayloads> &
  RequestPayloads<Payload | null>

const milliseconds = (what: string) =>
  Schema.NullOr(Schema.Int).annotate({ description: `${what}, in ms; null while unknown.` })

export const ResultBody = Schema.Struct({
  id: Schema.String,
  modelEndpoint: Schema.String.annotate({ description: "`{owner}/{model}`" }),
  status: Status,
  input: Schema.Json.annotate({
    description: "As submitted, without the reserved webhook keys; null once erased."
  }),
  output: Schema.Json.annotate({ description: "As the model defines it; null without one." }),
  error: Schema.NullOr(Schema.String),
  details: Schema.optionalKey(FailureView.FailureDetails),
  metadata: Schema.Record(Schema.String, Schema.String).annotate({
    description: "As given in `X-Request-Metadata`."
  }),
  inferenceTime: milliseconds("Time of the run"),
  delayTime: milliseconds("From accepted to started"),
  createdAt: Schema.String.annotate({ format: "date-time" }),
  outcome: OutcomeWord,
  cost: Schema.String.annotate({ description: "Charged, in USD, as a decimal." }),
  media: Schema.Array(MediaView.MediaItem).annotate({
    description: "Stored copies of the media in `output`."
  })
}).annotate({ identifier: "Result", description: "The result object." })
export type ResultBody = typeof ResultBody.Type

export const InvalidResultBody = Schema.Struct({
  ...ResultBody.fields,
  request_id: Schema.String,
  details: Schema.Struct({
    code: Schema.Literals(["INVALID_OUTPUT", "UPSTREAM_FAILURE"]),
    validationErrors: Schema.optionalKey(Schema.Array(Violation)),
    upstream: Schema.optionalKey(Upstream)
  })
}).annotate({
  identifier: "ResultWithoutOutput",
  description: "Completed without a usable output: `INVALID_OUTPUT` or `UPSTREAM_FAILURE`. Not billed."
})
export type InvalidResultBody = typeof InvalidResultBody.Type

export const RetrievedBody = Schema.Struct({
  ...ResultBody.fields,
  ...RequestUrls.requestUrlFields,
  waitingFor: Schema.optionalKey(WaitView.Cause),
  waitingReason: Schema.optionalKey(WaitView.Reason),
  billingStatus: Schema.NullOr(BillingStatus).annotate({ description: "null until the request has ended." }),
  expiresAt: Schema.String.annotate({
    description: "When input, output and files are erased, if the request has ended by then.",
    format: "date-time"
  }),
  erasedAt: Schema.NullOr(Schema.String.annotate({ format: "date-time" })).annotate({
    description: "When input, output and files were erased; they are null and empty since then."
  })
}).annotate({ identifier: "RetrievedRequest", description: "The request in any state." })
export type RetrievedBody = typeof RetrievedBody.Type

const invalidOutput = "The model's output does not match its declared schema."

/** Why the request has no result. `null` for any other request. */
export const errorOf = ({
  request
}: {
  readonly request: Pick<VisibleRequest, "phase" | "violations">
}): string | null => (request.violations.length > 0 ? invalidOutput : failure(request))

/** The result object in any state. An output that breaks its schema is not shown. */
export const result = <Payload>(
  { mediaUrl }: Pick<Urls, "mediaUrl">,
  snapshot: Snapshot,
  { input, output }: RequestPayloads<Payload>
): Shown<ResultBody, Payload> => {
  const { id, request } = snapshot
  const { phase, startedAt, submitted } = request
  const word = outcome(request)
  return {
    id,
    modelEndpoint: submitted.model,
    status: status(request),
    input,
    output: word === "succeeded" || word === "partial" ? output : null,
    error: errorOf(snapshot),
    ...FailureView.ofRequest(request),
    metadata: submitted.metadata,
    inferenceTime: phase._tag === "Completed" ? phase.inferenceMs : null,
    delayTime: startedAt === null ? null : Math.max(startedAt - submitted.at, 0),
    createdAt: new Date(WallTime.dateOf(submitted)).toISOString(),
    outcome: word,
    cost: Money.format(cost(request)),
    media: word === "succeeded" || word === "partial" ? MediaView.of(mediaUrl, request) : []
  }
}

/** The body of the 422 of a request that completed without a usable output; `null` for any other request. */
export const withoutOutput = <Payload>(
  urls: Pick<Urls, "mediaUrl">,
  snapshot: Snapshot,
  payloads: RequestPayloads<Payload>
): Shown<InvalidResultBody, Payload> | null => {
  const { id, request } = snapshot
  switch (outcome(request)) {
    case "invalid_output":
      return {
        ...result(urls, snapshot, payloads),
        request_id: id,
        details: { code: "INVALID_OUTPUT", validationErrors: request.violations }
      }
    case "provider_failed":
      return {
        ...result(urls, snapshot, payloads),
        request_id: id,
        details: { code: "UPSTREAM_FAILURE", ...FailureView.upstreamOf(request) }
      }
    case "pending":
    case "succeeded":
    case "partial":
    case "failed":
    case "cancelled":
    case "expired":
      return null
  }
}

/** `GET /requests/{id}` (decisions): one shape for every state. `keptMs`: the retention. */
export const retrieved = <Payload>(
  { keptMs, ...urls }: Pick<Urls, "queueUrl" | "mediaUrl"> & { readonly keptMs: number },
  snapshot: Snapshot,
  payloads: RequestPayloads<Payload>
): Shown<RetrievedBody, Payload> => ({
  ...result(urls, snapshot, payloads),
  ...RequestUrls.make(urls.queueUrl, snapshot),
  billingStatus: billingStatus(snapshot.request),
  expiresAt: new Date(WallTime.dateOf(snapshot.request.submitted) + keptMs).toISOString(),
  erasedAt: snapshot.request.erasure === null ? null : new Date(snapshot.request.erasure.at).toISOString()
})

/** What a queued request waits for now. Only single reads show it. */
export const waiting = (wait: WaitingFor.Wait): Pick<RetrievedBody, "waitingFor" | "waitingReason"> => ({
  waitingFor: wait.cause,
  waitingReason: wait.reason
})
