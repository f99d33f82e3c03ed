/** The timeline of a request (decisions, "Timeline"). */
import { Schema } from "effect"
import type { TimelineEntry } from "../Timeline.ts"
import * as DateTime from "#src/platform/views/DateTime.ts"
import * as ListView from "#src/platform/views/ListView.ts"
import * as MomentView from "./MomentView.ts"
import * as TimelineData from "./TimelineData.ts"
import * as WallTime from "#domain/inference-request/WallTime.ts"

const example = {
  position: "1207",
  type: "RequestCompleted",
  at: "2026-01-05T12:00:01.250Z",
  data: { attempt: 1, billingStatus: "charged", cost: "0.001", units: "1", error: null }
} as const

const attemptFailed = {
  position: "1211",
  type: "AttemptFailed",
  at: "2026-01-05T12:00:01.400Z",
  data: {
    deliveryId: "msg_p5jXN8AQM9LWM0D4loKWxJ",
    attempt: 1,
    responseStatus: 503,
    durationMs: 120,
    error: "http_503",
    nextAttemptAt: "2026-01-05T12:00:06.400Z"
  }
} as const

const LinkBody = Schema.Struct({
  ordinal: Schema.Int.annotate({ description: "Number of the event in its stream, from 0." }),
  previous: Schema.NullOr(Schema.String).annotate({
    description: "Hash of the event before it in its stream; null for the first."
  }),
  hash: Schema.String.annotate({ description: "SHA-256 over that hash and this event, base64url." })
}).annotate({
  identifier: "TimelineLink",
  description:
    "The event's place in the hash chain of its stream. The request is one stream, and each webhook delivery another."
})

const expanded = {
  ...example,
  chain: {
    ordinal: 4,
    previous: "hnE1Rk5Vq2cX0m8kq4lNlqZyq9j0fO7m6rKcVf3tX2s",
    hash: "y3n0oKkqk8o6Zp1qf3bN3w0m3Zk1m0b1s9xJr7dQm5c"
  },
  state: MomentView.example
} as const

export const EventBody = Schema.Struct({
  position: Schema.String.annotate({ description: "Position on the log: opaque and permanent." }),
  type: Schema.String.annotate({
    description:
      "What happened, such as `RequestStarted` or `AttemptFailed`. Types may be added: ignore those you do not know."
  }),
  at: DateTime.DateTime,
  data: Schema.Record(Schema.String, Schema.Json).annotate({
    description:
      "Fields of that type, as `docs/apps/timeline.md` lists them; more may be added. That of a webhook delivery has its `deliveryId`."
  }),
  chain: Schema.optionalKey(LinkBody),
  state: Schema.optionalKey(MomentView.MomentBody)
}).annotate({ identifier: "TimelineEvent", examples: [example, attemptFailed, expanded] })
export type EventBody = typeof EventBody.Type

export const ListBody = ListView.bodyOf(EventBody).annotate({
  identifier: "Timeline",
  description: "A page of what happened to a request, oldest first.",
  examples: [{ page: 1, limit: 20, total: 2, totalPages: 1, data: [example, attemptFailed], next: null }]
})

export const event = ({ happening, link, moment, position }: TimelineEntry): EventBody => ({
  position,
  type: happening.event._tag,
  at: DateTime.format(WallTime.dateOf(happening.event)),
  data:
    happening._tag === "OfRequest"
      ? TimelineData.ofRequest(happening.event)
      : TimelineData.ofDelivery(happening.deliveryId, happening.event),
  ...(link !== null && { chain: link }),
  ...(moment !== null && { state: MomentView.record(moment) })
})
