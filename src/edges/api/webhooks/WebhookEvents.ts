/** The webhooks that receivers get (contract, "Result / webhook payload", "Events"), declared as an API that they serve. */
import { Schema } from "effect"
import { HttpApi, HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { BillingStatus } from "#domain/inference-request/Event.ts"
import * as RequestUrls from "#src/features/requests/views/RequestUrls.ts"
import * as ResultView from "#src/features/requests/views/ResultView.ts"

const example = {
  id: RequestUrls.exampleId,
  modelEndpoint: "sandbox/echo",
  input: { value: "hello" },
  output: null,
  error: null,
  metadata: {},
  inferenceTime: null,
  delayTime: 12,
  createdAt: "2026-01-05T12:00:00.000Z",
  cost: "0",
  media: []
} as const

/** A body of each event, with the id of a request that does not exist. */
export const samples = {
  start: { ...example, status: "IN_PROGRESS", outcome: "pending", event: "start" },
  completed: {
    ...example,
    status: "COMPLETED",
    output: { value: "hello" },
    inferenceTime: 3,
    outcome: "succeeded",
    cost: "0.001",
    event: "completed",
    billingStatus: "charged"
  }
} as const

const { details: _details, ...fieldsOfStart } = ResultView.ResultBody.fields

const StartBody = Schema.Struct({
  ...fieldsOfStart,
  status: Schema.Literal("IN_PROGRESS"),
  output: Schema.Null,
  event: Schema.Literal("start")
}).annotate({
  identifier: "StartEvent",
  description: "The result object of a request that a provider has started.",
  examples: [samples.start]
})

const ofTheEnd = { event: Schema.Literal("completed"), billingStatus: BillingStatus }

const CompletedWithResult = Schema.Struct({ ...ResultView.ResultBody.fields, ...ofTheEnd }).annotate({
  identifier: "CompletedEvent",
  description: "The result object of a request that has ended, successfully or not: see `outcome`.",
  examples: [samples.completed]
})

const CompletedWithoutOutput = Schema.Struct({
  ...ResultView.InvalidResultBody.fields,
  ...ofTheEnd
}).annotate({
  identifier: "CompletedEventWithoutOutput",
  description: "The body of the 422: completed without a usable output. Not billed.",
  examples: [
    {
      ...example,
      status: "COMPLETED",
      error: "The picture is empty.",
      inferenceTime: 3,
      outcome: "provider_failed",
      request_id: RequestUrls.exampleId,
      details: { code: "UPSTREAM_FAILURE" },
      event: "completed",
      billingStatus: "failed"
    }
  ]
})

/** The variant with `details` first, because the other one accepts its fields, too. */
export const CompletedBody = Schema.Union([CompletedWithoutOutput, CompletedWithResult])

const described = (description: string) => Schema.String.annotate({ description })

const headers = {
  "webhook-id": described("The delivery's id, the same in each attempt: ignore repetitions."),
  "webhook-timestamp": described("Unix seconds of this attempt: refuse times far from now."),
  "webhook-signature": described(
    "`v1,<base64>` for each valid secret, separated by spaces: the HMAC-SHA256 of `{webhook-id}.{webhook-timestamp}.{body}`. One match is enough."
  )
}

const responses = {
  "2XX": { description: "Accepted within 15 seconds. The body is ignored." },
  "410": { description: "The receiver no longer wants it: it is not sent again automatically." },
  default: { description: "Any other answer is retried: ten attempts in about two hours." }
}

const describe = (identifier: string, summary: string, description: string) =>
  OpenApi.annotations({ identifier, summary, description, override: { responses } })

const start = HttpApiEndpoint.post("start", "/start", { headers, payload: StartBody }).annotateMerge(
  describe(
    "receiveStart",
    "A request has started",
    "Sent where `webhook_events_filter` has `start`. It may come after `completed`, or not at all."
  )
)

const completed = HttpApiEndpoint.post("completed", "/completed", {
  headers,
  payload: CompletedBody
}).annotateMerge(
  describe(
    "receiveCompleted",
    "A request has ended",
    "Sent at every end of a request that was submitted with a `webhook`, unless `webhook_events_filter` leaves it out."
  )
)

/** A path is the name of an event. */
export class WebhookEvents extends HttpApi.make("inferlog-events").add(
  HttpApiGroup.make("events").add(start, completed).annotate(OpenApi.Title, "Webhooks")
) {}
