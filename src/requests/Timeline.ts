/**
 * All that ever happened to a request (decisions, "Timeline"): its own stream is the timeline, with the streams of the
 * deliveries that it may have. Read when it is asked for, so that a client sees what it has been told at once.
 */
import { Context, Effect, Layer, Order } from "effect"
import type { RequestId } from "#domain/Ids.ts"
import { WebhookEventName } from "#domain/inference-request/Event.ts"
import type * as Request from "#domain/inference-request/Event.ts"
import * as InferenceRequest from "#domain/inference-request/InferenceRequest.ts"
import type { DeliveryId } from "#domain/webhook-delivery/DeliveryId.ts"
import type * as Delivery from "#domain/webhook-delivery/Event.ts"
import * as WebhookDelivery from "#domain/webhook-delivery/WebhookDelivery.ts"
import * as DeliveryIds from "#src/webhooks/DeliveryIds.ts"
import { EventReader, type EventStoreError } from "#streams/EventReader.ts"
import * as GlobalPosition from "#streams/GlobalPosition.ts"
import type { RecordedEvent } from "#streams/RecordedEvent.ts"
import * as StreamName from "#streams/StreamName.ts"
import { type RequestForbidden, type RequestNotFound, Requests } from "./Requests.ts"

export type Happening =
  | { readonly _tag: "OfRequest"; readonly event: Request.Event }
  | { readonly _tag: "OfDelivery"; readonly deliveryId: DeliveryId; readonly event: Delivery.Event }

export interface TimelineEntry {
  readonly position: GlobalPosition.GlobalPosition
  readonly happening: Happening
}

/** Every type of an event that a timeline may have. */
export const types: ReadonlySet<string> = new Set([
  ...InferenceRequest.aggregate.codec.types,
  ...WebhookDelivery.aggregate.codec.types
])

export class Timeline extends Context.Service<
  Timeline,
  {
    /**
     * In the log's order, as of one moment. What bounds it: progress is sampled and retries are counted; a delivery has
     * three events for each of its ten attempts, and as many again for each replay. Commands read the same streams.
     */
    read(
      options: Parameters<Requests["Service"]["get"]>[0]
    ): Effect.Effect<ReadonlyArray<TimelineEntry>, RequestNotFound | RequestForbidden | EventStoreError>
  }
>()("inferlog/src/requests/Timeline") {
  static readonly layer = Layer.effect(
    Timeline,
    Effect.gen(function* () {
      const requests = yield* Requests
      const reader = yield* EventReader

      const streamOf = (name: StreamName.StreamName, toHappening: (event: RecordedEvent) => Happening) =>
        Effect.map(reader.read(name), (events) =>
          events.map((event) => ({ position: event.position, happening: toHappening(event) }))
        )

      const read: Timeline["Service"]["read"] = Effect.fn("Timeline.read")(function* (options) {
        const { id } = yield* requests.get(options)
        // One stream may be read later than another: without this, what is appended in between would have gaps before it.
        const head = yield* reader.head
        const found = yield* Effect.all(
          [
            streamOf(StreamName.make(InferenceRequest.aggregate.category, id), ofRequest),
            ...deliveriesOf(id).map((deliveryId) =>
              streamOf(
                StreamName.make(WebhookDelivery.aggregate.category, deliveryId),
                ofDelivery(deliveryId)
              )
            )
          ],
          { concurrency: "unbounded" }
        )
        return found
          .flat()
          .filter(({ position }) => GlobalPosition.isReached(position, head))
          .sort(byPosition)
      })

      return Timeline.of({ read })
    })
  )
}

const deliveriesOf = (id: RequestId): ReadonlyArray<DeliveryId> =>
  WebhookEventName.literals.map((event) => DeliveryIds.of(id, event))

const ofRequest = (event: RecordedEvent): Happening => ({
  _tag: "OfRequest",
  event: InferenceRequest.aggregate.codec.decode(event)
})

const ofDelivery =
  (deliveryId: DeliveryId) =>
  (event: RecordedEvent): Happening => ({
    _tag: "OfDelivery",
    deliveryId,
    event: WebhookDelivery.aggregate.codec.decode(event)
  })

const byPosition = Order.mapInput(GlobalPosition.order, ({ position }: TimelineEntry) => position)
