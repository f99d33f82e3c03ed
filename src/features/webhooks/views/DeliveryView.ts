/** The wire form of a webhook delivery (contract, "Webhook delivery record"). */
import { Schema } from "effect"
import { WebhookEventName } from "#domain/inference-request/Event.ts"
import { type DeliveryItem, DeliveryStatus } from "#projections/deliveries/DeliveryItem.ts"
import type { DeliverySnapshot } from "../DeliverySnapshot.ts"
import * as DateTime from "#src/platform/views/DateTime.ts"
import * as ListView from "#src/platform/views/ListView.ts"
import * as RequestUrls from "#src/features/requests/views/RequestUrls.ts"

const responseStatus = Schema.NullOr(Schema.Int).annotate({
  description: "The receiver's status; null without an answer."
})

const error = Schema.NullOr(Schema.String).annotate({
  description:
    "`timeout`, `connection_failed`, `tls_error`, `http_<status>`, `redirect_refused`, `gone`, `private_address` or `dns_error`."
})

const time = (description: string) => Schema.NullOr(DateTime.DateTime).annotate({ description })

const fields = {
  id: Schema.String.annotate({ description: "The `webhook-id`: the same each time it is sent." }),
  requestId: Schema.String,
  event: WebhookEventName,
  url: Schema.String.annotate({ format: "uri" }),
  status: DeliveryStatus,
  attempts: Schema.Int.annotate({ description: "Attempts so far, including replays." }),
  lastResponseStatus: responseStatus,
  lastError: error,
  nextAttemptAt: time("When it is sent next, while it is `pending`."),
  deliveredAt: time("When the receiver last accepted it."),
  createdAt: DateTime.DateTime,
  updatedAt: DateTime.DateTime
}

export const example = {
  id: "msg_p5jXN8AQM9LWM0D4loKWxJ",
  requestId: RequestUrls.exampleId,
  event: "completed",
  url: "https://example.com/hook",
  status: "pending",
  attempts: 1,
  lastResponseStatus: 503,
  lastError: "http_503",
  nextAttemptAt: "2026-01-05T12:00:05.250Z",
  deliveredAt: null,
  createdAt: "2026-01-05T12:00:00.000Z",
  updatedAt: "2026-01-05T12:00:00.250Z"
} as const

export const DeliveryBody = Schema.Struct(fields).annotate({
  identifier: "Delivery",
  description: "A delivery of a webhook.",
  examples: [example]
})
export type DeliveryBody = typeof DeliveryBody.Type

export const attemptFields = {
  at: DateTime.DateTime,
  responseStatus,
  durationMs: Schema.NullOr(Schema.Int).annotate({
    description: "null while it is under way, and when its end is unknown."
  }),
  error,
  trigger: Schema.Literals(["schedule", "replay", "recover"])
}

const AttemptBody = Schema.Struct(attemptFields).annotate({ identifier: "DeliveryAttempt" })

export const DetailedBody = Schema.Struct({
  ...fields,
  attemptHistory: Schema.Array(AttemptBody).annotate({ description: "At most the last 100, newest last." })
}).annotate({
  identifier: "DetailedDelivery",
  description: "A delivery with its attempts.",
  examples: [
    {
      ...example,
      attemptHistory: [
        {
          at: example.createdAt,
          responseStatus: 503,
          durationMs: 250,
          error: "http_503",
          trigger: "schedule"
        }
      ]
    }
  ]
})
export type DetailedBody = typeof DetailedBody.Type

export const ListBody = ListView.bodyOf(DeliveryBody).annotate({
  identifier: "Deliveries",
  description: "A page of the account's deliveries.",
  examples: [{ page: 1, limit: 10, total: 1, totalPages: 1, data: [example], next: null }]
})

export const record = (item: DeliveryItem): DeliveryBody => ({
  id: item.deliveryId,
  requestId: item.requestId,
  event: item.event,
  url: item.url,
  status: item.status,
  attempts: item.attempts,
  lastResponseStatus: item.lastResponseStatus,
  lastError: item.lastError,
  nextAttemptAt: DateTime.formatNullable(item.nextAttemptAt),
  deliveredAt: DateTime.formatNullable(item.deliveredAt),
  createdAt: DateTime.format(item.createdAt),
  updatedAt: DateTime.format(item.updatedAt)
})

export const detailed = (snapshot: DeliverySnapshot): DetailedBody => ({
  ...record(snapshot),
  attemptHistory: snapshot.history.map(({ at, durationMs, error, responseStatus, trigger }) => ({
    at: DateTime.format(at),
    responseStatus,
    durationMs,
    error,
    trigger
  }))
})
