/** The frames of the event stream that correspond to webhook events. The state sent after connecting is not one. */
import { Schema } from "effect"
import { RequestId } from "#domain/Ids.ts"
import type { WebhookEventName } from "#domain/inference-request/Event.ts"
import { Status } from "#domain/inference-request/Status.ts"
import * as RecentlyUsed from "#streams/RecentlyUsed.ts"

/** The fields of a frame that the command reads. */
export const StatusFrame = Schema.Struct({
  request_id: RequestId,
  modelEndpoint: Schema.String,
  status: Status
})
type StatusFrame = typeof StatusFrame.Type

/** An event that a webhook delivers. */
export interface SelectedEvent {
  readonly event: WebhookEventName
  readonly requestId: RequestId
  readonly modelEndpoint: string
}

/** Queued requests whose start is tracked. With more queued requests, a `start` may be missing. */
const mostQueued = 10_000

export const make = (options: {
  readonly events: ReadonlySet<WebhookEventName>
  readonly named: ReadonlyArray<RequestId>
}) => {
  const queued = RecentlyUsed.make<true>({ capacity: mostQueued })
  const open = new Set(options.named)

  const eventOf = ({ request_id, status }: StatusFrame, isResumed: boolean): WebhookEventName | null => {
    switch (status) {
      case "IN_QUEUE":
        queued.set(request_id, true)
        return null
      // A start is new if the request was seen in the queue before.
      case "IN_PROGRESS":
        return isResumed || queued.get(request_id) === true ? "start" : null
      case "COMPLETED":
      case "FAILED":
      case "CANCELLED":
        return "completed"
    }
  }

  return {
    /** The event of the next frame; `null` without a new one. `isResumed`: the connection resumed a previous one. */
    of: (frame: StatusFrame, isResumed: boolean): SelectedEvent | null => {
      const { modelEndpoint, request_id, status } = frame
      const event = eventOf(frame, isResumed)
      if (status !== "IN_QUEUE") queued.delete(request_id)
      if (event === "completed") open.delete(request_id)
      return event === null || !options.events.has(event)
        ? null
        : { event, requestId: request_id, modelEndpoint }
    },
    /** Whether all given requests have ended; false when none was given. */
    haveEnded: () => options.named.length > 0 && open.size === 0
  }
}
