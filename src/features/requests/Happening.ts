/** An event of a request, or of one of its deliveries. */
import type { RequestId } from "#domain/Ids.ts"
import { WebhookEventName } from "#domain/inference-request/Event.ts"
import type * as Request from "#domain/inference-request/Event.ts"
import * as InferenceRequest from "#domain/inference-request/InferenceRequest.ts"
import type { DeliveryId } from "#domain/webhook-delivery/DeliveryId.ts"
import type * as Delivery from "#domain/webhook-delivery/Event.ts"
import * as WebhookDelivery from "#domain/webhook-delivery/WebhookDelivery.ts"
import type { RecordedEvent } from "#streams/RecordedEvent.ts"
import * as StreamName from "#streams/StreamName.ts"
import * as DeliveryIds from "./DeliveryIds.ts"

export type Happening =
  | { readonly _tag: "OfRequest"; readonly event: Request.Event }
  | { readonly _tag: "OfDelivery"; readonly deliveryId: DeliveryId; readonly event: Delivery.Event }

/** A stream with events of the request, and how they are parsed. */
export interface Source {
  readonly stream: StreamName.StreamName
  readonly parse: (event: RecordedEvent) => Happening
}

/** The types of all events in a timeline. */
export const types: ReadonlySet<string> = new Set([
  ...InferenceRequest.aggregate.codec.types,
  ...WebhookDelivery.aggregate.codec.types
])

/** The stream of the request, and those that its deliveries have or would have. */
export const sourcesOf = (id: RequestId): ReadonlyArray<Source> => [
  {
    stream: StreamName.make(InferenceRequest.aggregate.category, id),
    parse: (event) => ({ _tag: "OfRequest", event: InferenceRequest.aggregate.codec.decode(event) })
  },
  ...WebhookEventName.literals.map((name): Source => {
    const deliveryId = DeliveryIds.of(id, name)
    return {
      stream: StreamName.make(WebhookDelivery.aggregate.category, deliveryId),
      parse: (event) => ({
        _tag: "OfDelivery",
        deliveryId,
        event: WebhookDelivery.aggregate.codec.decode(event)
      })
    }
  })
]
