/** The request in the answers to submit, status and cancel (contract, "Request"). */
import { Schema } from "effect"
import { WebhookEventName } from "#domain/inference-request/Event.ts"
import { status, Status } from "#domain/inference-request/Status.ts"
import type * as WaitingFor from "#src/features/provider-health/WaitingFor.ts"
import type { Snapshot } from "../Requests.ts"
import * as FailureView from "./FailureView.ts"
import * as RequestUrls from "./RequestUrls.ts"
import * as WaitView from "./WaitView.ts"

const fields = {
  request_id: Schema.String.annotate({ description: "21 characters." }),
  ...RequestUrls.requestUrlFields,
  metrics: Schema.optionalKey(
    Schema.Struct({
      inference_time: Schema.optionalKey(
        Schema.Finite.annotate({
          description: "Seconds that the run took; whole seconds so far while it runs."
        })
      ),
      expected_time: Schema.optionalKey(
        Schema.Finite.annotate({
          description: "Expected seconds of a run when the request was accepted; only until it has ended."
        })
      )
    }).annotate({ identifier: "RunMetrics" })
  ),
  progress: Schema.optionalKey(
    Schema.Finite.annotate({
      description: "Completed share of the run, 0 to 1, as last reported by its provider. Only while it runs."
    })
  ),
  waiting_for: Schema.optionalKey(WaitView.Cause),
  waiting_reason: Schema.optionalKey(WaitView.Reason),
  queue_position: Schema.Literal(0).annotate({
    description: "Always 0: the depth of the queue is not tracked."
  })
}

const logLines = Schema.String.annotate({ description: "Log lines, joined by newlines." })

const exampleStatus = {
  status: "IN_QUEUE",
  request_id: RequestUrls.exampleId,
  ...RequestUrls.example,
  logs: "",
  queue_position: 0
} as const

export const CreatedBody = Schema.Struct({
  status: Schema.Literal("IN_QUEUE"),
  ...fields,
  logs: logLines,
  webhook: Schema.optionalKey(Schema.String.annotate({ description: "As submitted." })),
  webhook_events_filter: Schema.optionalKey(
    Schema.Array(WebhookEventName).annotate({ description: "As submitted." })
  )
}).annotate({ identifier: "CreatedRequest", description: "Accepted.", examples: [exampleStatus] })
export type CreatedBody = typeof CreatedBody.Type

export const StatusBody = Schema.Struct({ status: Status, ...fields, logs: logLines }).annotate({
  identifier: "RequestStatus",
  description: "The current state of the request.",
  examples: [{ ...exampleStatus, status: "IN_PROGRESS" }]
})
export type StatusBody = typeof StatusBody.Type

export const FailedBody = Schema.Struct({
  status: Schema.Literal("FAILED"),
  ...fields,
  logs: Schema.Array(Schema.String).annotate({ description: "Log lines." }),
  error: Schema.String.annotate({ description: "Why the provider could not run it." }),
  details: Schema.optionalKey(FailureView.FailureDetails)
}).annotate({
  identifier: "FailedRequestStatus",
  description: "`FAILED` for good: the provider could not run it.",
  examples: [{ ...exampleStatus, status: "FAILED", logs: [], error: "The provider refused the run." }]
})
export type FailedBody = typeof FailedBody.Type

const Cancellation = Schema.Struct({
  accepted: Schema.Boolean.annotate({
    description: "Whether the request is cancelled, or its provider has been asked to stop it."
  }),
  reason: Schema.String
}).annotate({ identifier: "Cancellation" })

export const CancelBody = Schema.Union([
  Schema.Struct({ ...StatusBody.fields, cancel: Cancellation }),
  Schema.Struct({ ...FailedBody.fields, cancel: Cancellation })
]).annotate({
  identifier: "CancelledRequestStatus",
  description: "The current state of the request, and whether the cancel was accepted.",
  examples: [{ ...exampleStatus, status: "CANCELLED", cancel: { accepted: true, reason: "Cancelled." } }]
})

/** The answer to a submit. A replay shows the same. */
export const created = (queueUrl: string, snapshot: Snapshot): CreatedBody => {
  const { webhook } = snapshot.request.submitted
  return {
    status: "IN_QUEUE",
    request_id: snapshot.id,
    ...RequestUrls.make(queueUrl, snapshot),
    logs: "",
    queue_position: 0,
    ...(webhook === undefined ? {} : { webhook: webhook.url }),
    ...(webhook?.filtered === true ? { webhook_events_filter: webhook.events } : {})
  }
}

/** The request when its status changed, so that a change always looks the same. Times in ms. */
export const metrics = (
  status: Status,
  times: { readonly expectedMs: number | null; readonly inferenceMs: number | null }
): Pick<StatusBody, "metrics"> => {
  const { expectedMs, inferenceMs } = times
  if (status === "COMPLETED" && inferenceMs !== null)
    return { metrics: { inference_time: inferenceMs / 1_000 } }
  const isRunning = status === "IN_PROGRESS"
  const isExpected = expectedMs !== null && (isRunning || status === "IN_QUEUE")
  if (!isRunning && !isExpected) return {}
  return {
    metrics: {
      ...(isRunning && { inference_time: 0 }),
      ...(isExpected && { expected_time: expectedMs / 1_000 })
    }
  }
}

/** Run time and progress so far. @param now Unix time in ms. */
const running = ({ phase, progress }: Snapshot["request"], now: number) => {
  if (phase._tag !== "Running" || phase.runStartedAt === undefined) return null
  const seconds = Math.max(0, Math.floor((now - phase.runStartedAt) / 1_000))
  return { inference_time: seconds, ...(typeof progress === "number" && { progress }) }
}

const waiting = ({ cause, reason }: WaitingFor.Wait) => ({ waiting_for: cause, waiting_reason: reason })

/** @param wait what the request waits for, besides its turn. */
export const current = (
  queueUrl: string,
  snapshot: Snapshot,
  { now, wait }: { readonly now: number; readonly wait: WaitingFor.Wait | null }
): StatusBody | FailedBody => {
  const { id, request } = snapshot
  const urls = RequestUrls.make(queueUrl, snapshot)
  if (request.phase._tag === "Failed") {
    return {
      status: "FAILED",
      request_id: id,
      ...urls,
      logs: request.logs,
      queue_position: 0,
      error: request.phase.message,
      ...FailureView.ofRequest(request)
    }
  }
  const inferenceMs = request.phase._tag === "Completed" ? request.phase.inferenceMs : null
  const expectedMs = request.submitted.expectedMs ?? null
  const shown = status(request)
  const known = metrics(shown, { expectedMs, inferenceMs })
  const soFar = running(request, now)
  return {
    status: shown,
    request_id: id,
    ...urls,
    logs: request.logs.join("\n"),
    ...(soFar === null ? known : { metrics: { ...known.metrics, inference_time: soFar.inference_time } }),
    ...(soFar?.progress !== undefined && { progress: soFar.progress }),
    ...(wait !== null && waiting(wait)),
    queue_position: 0
  }
}
