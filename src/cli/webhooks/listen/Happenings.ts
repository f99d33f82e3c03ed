/**
 * Which frames of the event stream (decisions, "Server-sent events") tell of something that webhooks tell of. A stream that
 * does not resume begins with the state of what is open: that is known, and did not happen now.
 */
import { Schema } from "effect"
import { RequestId } from "#domain/Ids.ts"
import type { WebhookEventName } from "#domain/inference-request/Event.ts"
import { Status } from "#domain/inference-request/Status.ts"
import * as RecentlyUsed from "#streams/RecentlyUsed.ts"

/** What a frame carries; there is more that is not looked at. */
export const StatusFrame = Schema.fromJsonString(
  Schema.Struct({ request_id: RequestId, modelEndpoint: Schema.String, status: Status })
)
export type StatusFrame = typeof StatusFrame.Type

/** Something that a webhook tells of. */
export interface Happening {
  readonly event: WebhookEventName
  readonly requestId: RequestId
  readonly modelEndpoint: string
}

/** Requests whose start is waited for. Of more a `start` may be missing: nobody is to rely on it. */
const mostQueued = 10_000

export interface Happenings {
  /** Of the next frame, `null` when it is no news. `isResumed`: its connection goes on behind another one. */
  readonly of: (frame: StatusFrame, isResumed: boolean) => Happening | null
  /** Whether all requests that were named have ended; false when none was. */
  readonly haveEnded: () => boolean
}

export const make = (options: {
  readonly events: ReadonlySet<WebhookEventName>
  readonly named: ReadonlyArray<RequestId>
}): Happenings => {
  const queued = RecentlyUsed.make<true>({ capacity: mostQueued })
  const open = new Set(options.named)

  const eventOf = ({ request_id, status }: StatusFrame, isResumed: boolean): WebhookEventName | null => {
    switch (status) {
      case "IN_QUEUE":
        queued.set(request_id, true)
        return null
      // Of a start that happens now the frame before it was seen.
      case "IN_PROGRESS":
        return isResumed || queued.get(request_id) === true ? "start" : null
      case "COMPLETED":
      case "FAILED":
      case "CANCELLED":
        return "completed"
    }
  }

  return {
    of: (frame, isResumed) => {
      const { modelEndpoint, request_id, status } = frame
      const event = eventOf(frame, isResumed)
      if (status !== "IN_QUEUE") queued.delete(request_id)
      if (event === "completed") open.delete(request_id)
      return event === null || !options.events.has(event)
        ? null
        : { event, requestId: request_id, modelEndpoint }
    },
    haveEnded: () => options.named.length > 0 && open.size === 0
  }
}
