/** A request as a prediction of Replicate's API. */
import { Schema } from "effect"
import { WebhookEventName } from "#domain/inference-request/Event.ts"
import { isTerminal } from "#domain/inference-request/State.ts"
import * as RequestStatus from "#domain/inference-request/Status.ts"
import * as WallTime from "#domain/inference-request/WallTime.ts"
import type { Snapshot } from "#src/features/requests/Requests.ts"
import * as FailureView from "#src/features/requests/views/FailureView.ts"
import * as ResultView from "#src/features/requests/views/ResultView.ts"
import * as RequestUrls from "#src/features/requests/views/RequestUrls.ts"
import type { Urls } from "#src/kernel/settings/PublicUrls.ts"
import * as DateTime from "#src/platform/views/DateTime.ts"
import * as Paths from "../Paths.ts"

const Status = Schema.Literals(["starting", "processing", "succeeded", "failed", "canceled"])

const seconds = (description: string) => Schema.optionalKey(Schema.Finite.annotate({ description }))

export const Body = Schema.Struct({
  id: Schema.String,
  model: Schema.String.annotate({ description: "`{owner}/{name}`" }),
  version: Schema.String.annotate({ description: "Of the model when it was accepted; `hidden` in lists." }),
  input: Schema.Json.annotate({ description: "As submitted; null once erased." }),
  output: Schema.Json.annotate({ description: "As the model defines it; null without one." }),
  logs: Schema.String,
  error: Schema.NullOr(Schema.String),
  details: Schema.optionalKey(FailureView.FailureDetails),
  status: Status,
  source: Schema.Literal("api"),
  data_removed: Schema.Boolean.annotate({ description: "Whether input, output and files were erased." }),
  created_at: DateTime.DateTime,
  started_at: Schema.NullOr(DateTime.DateTime),
  completed_at: Schema.NullOr(DateTime.DateTime),
  metrics: Schema.Struct({
    predict_time: seconds("Seconds of the run."),
    total_time: seconds("Seconds from accepted to ended.")
  }),
  urls: Schema.Struct({
    get: Schema.String,
    cancel: Schema.String,
    stream: Schema.optionalKey(
      Schema.String.annotate({ description: "Its output as server-sent events, for an hour; not in lists." })
    )
  }),
  deployment: Schema.optionalKey(Schema.String),
  webhook: Schema.optionalKey(Schema.String),
  webhook_events_filter: Schema.optionalKey(Schema.Array(WebhookEventName))
})

type Body = typeof Body.Type

const exampleUrl = `https://api.example.com${Paths.root}/predictions/${RequestUrls.exampleId}`

export const example: Body = {
  id: RequestUrls.exampleId,
  model: "sandbox/echo",
  version: "0pJbRB5mRZ7oMzQ3mVqF2A",
  input: { value: "hello" },
  output: { value: "hello" },
  logs: "",
  error: null,
  status: "succeeded",
  source: "api",
  data_removed: false,
  created_at: "2026-01-05T12:00:00.000Z",
  started_at: "2026-01-05T12:00:00.010Z",
  completed_at: "2026-01-05T12:00:01.510Z",
  metrics: { predict_time: 1.5, total_time: 1.51 },
  urls: { get: exampleUrl, cancel: `${exampleUrl}/cancel`, stream: `${exampleUrl}/stream?token=v1` }
}

/**
 * An ended request whose run failed is `failed`. One that expired is `canceled`, because clients poll until one of the three last
 * statuses. So is one that a cancel stopped after it had delivered something: its output is what it had made.
 */
const statusOf = ({ request }: Snapshot): Body["status"] => {
  switch (RequestStatus.outcome(request)) {
    case "pending":
      return RequestStatus.status(request) === "IN_QUEUE" ? "starting" : "processing"
    case "succeeded":
      return "succeeded"
    case "partial":
      return request.isCut === true ? "canceled" : "succeeded"
    case "invalid_output":
    case "provider_failed":
    case "failed":
      return "failed"
    case "cancelled":
    case "expired":
      return "canceled"
  }
}

const expired = "The prediction expired before it ended."

const timesOf = ({ request }: Snapshot) => {
  const { phase, startedAt, submitted } = request
  const dateOf = (time: number) => DateTime.format(WallTime.dateBy(time, submitted))
  const times = {
    created_at: dateOf(submitted.at),
    started_at: startedAt === null ? null : dateOf(startedAt)
  }
  if (!isTerminal(phase)) return { ...times, completed_at: null, metrics: {} }
  const inferenceMs = phase._tag === "Completed" ? phase.inferenceMs : null
  return {
    ...times,
    completed_at: dateOf(phase.at),
    metrics: {
      ...(inferenceMs !== null && { predict_time: inferenceMs / 1_000 }),
      total_time: Math.max(phase.at - submitted.at, 0) / 1_000
    }
  }
}

const webhookOf = ({ request }: Snapshot) => {
  const { webhook } = request.submitted
  return webhook === undefined ? {} : { webhook: webhook.url, webhook_events_filter: webhook.events }
}

/** @param stream the URL of its output; `null`: not shown. */
export const record = <Payload>(
  urls: Pick<Urls, "baseUrl" | "mediaUrl">,
  snapshot: Snapshot,
  payloads: ResultView.RequestPayloads<Payload>,
  stream: string | null
) => {
  const { id, request } = snapshot
  const get = `${urls.baseUrl}${Paths.root}/predictions/${id}`
  const { error, input, output } = ResultView.result(urls, snapshot, payloads)
  return {
    id,
    model: request.submitted.model,
    version: request.submitted.modelVersion ?? "hidden",
    input,
    output,
    logs: request.logs.join("\n"),
    error: RequestStatus.outcome(request) === "expired" ? expired : error,
    ...FailureView.ofRequest(request),
    status: statusOf(snapshot),
    source: "api" as const,
    data_removed: request.erasure !== null,
    ...timesOf(snapshot),
    urls: { get, cancel: `${get}/cancel`, ...(stream !== null && { stream }) },
    ...webhookOf(snapshot)
  }
}
