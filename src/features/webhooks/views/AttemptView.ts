/** The wire form of an attempt as sent and answered, and of a test (docs/apps/webhooks.md). */
import { Schema } from "effect"
import * as DateTime from "#src/platform/views/DateTime.ts"
import type { AttemptExchange, Omitted } from "../AttemptExchange.ts"
import type { ReceiverAnswer } from "../ReceiverAnswer.ts"
import type { Tested } from "../WebhookTester.ts"
import { attemptFields, example as delivery } from "./DeliveryView.ts"

const headers = Schema.Record(Schema.String, Schema.String)

const omitted = (description: string) =>
  Schema.NullOr(Schema.Literals(["erased", "too_large", "not_kept", "unreadable"])).annotate({ description })

const SentRequest = Schema.Struct({
  method: Schema.Literal("POST"),
  url: Schema.String.annotate({ format: "uri" }),
  headers: headers.annotate({
    description:
      "By lower-case name. Timestamp and signature of a past attempt are made again, from its time and the secrets that are valid now."
  }),
  body: Schema.NullOr(Schema.String).annotate({ description: "As sent; null if it is omitted." }),
  bodySize: Schema.Int.annotate({ description: "Bytes." }),
  omitted: omitted("Why there is no body: `erased`, `too_large` (above 64 KiB) or `unreadable`.")
}).annotate({ identifier: "WebhookRequest" })

const Response = Schema.Struct({
  status: Schema.Int,
  headers: headers.annotate({
    description: "Some of them, such as `content-type`, at most 256 characters each."
  }),
  body: Schema.NullOr(Schema.String).annotate({
    description: "The first 1024 bytes; null if they are not text or omitted."
  }),
  isTruncated: Schema.Boolean.annotate({ description: "Whether the body went on." }),
  omitted: omitted("Why there are no headers and no body: `not_kept` for a 2xx without a body, or `erased`.")
}).annotate({ identifier: "WebhookResponse" })

const exchangeFields = {
  request: SentRequest,
  response: Schema.NullOr(Response).annotate({ description: "null without an answer." })
}

const request = {
  method: "POST",
  url: delivery.url,
  headers: {
    "content-type": "application/json",
    "user-agent": "inferlog-webhooks/1",
    "webhook-id": delivery.id,
    "webhook-timestamp": "1767614400",
    "webhook-signature": "v1,9iK5xG0bqIuTMSr0Ff3hFVjr2FQHdUlP1l8bR+Ol9b8="
  },
  body: '{"event":"completed","id":"rq0qXk2Ab-0Zp1aB3dE5f"}',
  bodySize: 50,
  omitted: null
} as const

const response = {
  status: 503,
  headers: { "content-type": "text/plain", "retry-after": "30" },
  body: "down for maintenance",
  isTruncated: false,
  omitted: null
} as const

const outcome = { responseStatus: 503, durationMs: 250, error: "http_503" } as const

export const AttemptBody = Schema.Struct({
  attempt: Schema.Int.annotate({ description: "From 1." }),
  ...attemptFields,
  ...exchangeFields
}).annotate({
  identifier: "DetailedAttempt",
  description: "An attempt with its request and its response.",
  examples: [{ attempt: 1, at: delivery.createdAt, ...outcome, trigger: "schedule", request, response }]
})
export type AttemptBody = typeof AttemptBody.Type

const { at: _at, trigger: _trigger, ...outcomeFields } = attemptFields

export const TestBody = Schema.Struct({ ...outcomeFields, ...exchangeFields }).annotate({
  identifier: "WebhookTest",
  description: "What was sent, and what came back.",
  examples: [{ ...outcome, request, response }]
})
export type TestBody = typeof TestBody.Type

const shown = (
  status: number,
  answer: ReceiverAnswer | { readonly omitted: Omitted }
): typeof Response.Type =>
  "omitted" in answer
    ? { status, headers: {}, body: null, isTruncated: false, omitted: answer.omitted }
    : { status, ...answer, omitted: null }

export const detailed = ({ attempt, number, request, response }: AttemptExchange): AttemptBody => ({
  attempt: number,
  at: DateTime.format(attempt.at),
  responseStatus: attempt.responseStatus,
  durationMs: attempt.durationMs,
  error: attempt.error,
  trigger: attempt.trigger,
  request: {
    method: "POST",
    url: request.url,
    headers: request.headers,
    body: "text" in request.body ? request.body.text : null,
    bodySize: request.size,
    omitted: "text" in request.body ? null : request.body.omitted
  },
  response: response === null ? null : shown(response.status, response.answer)
})

/** @param url to which the sample was sent. */
export const tested = (url: string, { answer, durationMs, request, result }: Tested): TestBody => ({
  responseStatus: result.responseStatus,
  durationMs,
  error: result._tag === "Failed" ? result.error : null,
  request: {
    method: "POST",
    url,
    headers: request.headers,
    body: Buffer.from(request.body).toString(),
    bodySize: request.body.length,
    omitted: null
  },
  response: answer === null || result.responseStatus === null ? null : shown(result.responseStatus, answer)
})
