/** The events of a request and of its deliveries (decisions, "Timeline"), from the log, so that it is never behind. */
import { Context, Effect, Layer } from "effect"
import type { RequestId } from "#domain/Ids.ts"
import { WebhookEventName } from "#domain/inference-request/Event.ts"
import type * as Request from "#domain/inference-request/Event.ts"
import * as InferenceRequest from "#domain/inference-request/InferenceRequest.ts"
import type { DeliveryId } from "#domain/webhook-delivery/DeliveryId.ts"
import type * as Delivery from "#domain/webhook-delivery/Event.ts"
import * as WebhookDelivery from "#domain/webhook-delivery/WebhookDelivery.ts"
import * as Page from "#projections/Page.ts"
import * as DeliveryIds from "./DeliveryIds.ts"
import { EventReader, type EventStoreError } from "#streams/EventReader.ts"
import type * as GlobalPosition from "#streams/GlobalPosition.ts"
import type { RecordedEvent } from "#streams/RecordedEvent.ts"
import * as StreamName from "#streams/StreamName.ts"
import * as MergedEvents from "./MergedEvents.ts"
import { type RequestForbidden, type RequestNotFound, Requests } from "./Requests.ts"

type Happening =
  | { readonly _tag: "OfRequest"; readonly event: Request.Event }
  | { readonly _tag: "OfDelivery"; readonly deliveryId: DeliveryId; readonly event: Delivery.Event }

export interface TimelineEntry {
  readonly position: GlobalPosition.GlobalPosition
  readonly happening: Happening
}

/** The types of all events in a timeline. */
export const types: ReadonlySet<string> = new Set([
  ...InferenceRequest.aggregate.codec.types,
  ...WebhookDelivery.aggregate.codec.types
])

type TimelineOptions = Parameters<Requests["Service"]["get"]>[0] &
  Page.PageRequest<GlobalPosition.GlobalPosition> & {
    /** Events of that type only. */
    readonly type?: string | undefined
  }

export class Timeline extends Context.Service<
  Timeline,
  {
    /**
     * A page in the order of the log, as of one moment: the `page`th page from 1, or the page after `after`.
     *
     * The streams are read whole, but only the events of the page are parsed: a delivery may have many events, because each
     * replay adds up to ten attempts.
     */
    read(
      options: TimelineOptions
    ): Effect.Effect<
      Page.PageWithTotal<TimelineEntry, GlobalPosition.GlobalPosition>,
      RequestNotFound | RequestForbidden | EventStoreError
    >
  }
>()("inferlog/src/features/requests/Timeline") {
  static readonly layer = Layer.effect(
    Timeline,
    Effect.gen(function* () {
      const requests = yield* Requests
      const reader = yield* EventReader

      const streamOf = (name: StreamName.StreamName, toHappening: (event: RecordedEvent) => Happening) =>
        Effect.andThen(
          Effect.yieldNow,
          Effect.map(reader.read(name), (events) => ({ events, toHappening }))
        )

      const read: Timeline["Service"]["read"] = Effect.fn("Timeline.read")(function* ({
        after,
        limit,
        page,
        type,
        ...options
      }) {
        const { id } = yield* requests.get(options)
        // Streams are read one after the other. Without this bound, an event appended in between would show without an earlier one.
        const head = yield* reader.head
        const streams = yield* Effect.all(
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
        const parts = streams.map(({ events, toHappening }) => {
          const there = events.slice(0, MergedEvents.reached(events, head))
          return {
            events: type === undefined ? there : there.filter((event) => event.type === type),
            toHappening
          }
        })
        const skipped = after === null ? (page - 1) * limit : 0
        const shown = yield* MergedEvents.slice(parts, { after, skipped, limit: limit + 1 })
        const { items, next } = Page.cut(shown, limit, ({ event }) => event.position)
        return {
          total: parts.reduce((sum, { events }) => sum + events.length, 0),
          items: items.map(({ event, part }) => ({
            position: event.position,
            happening: part.toHappening(event)
          })),
          next
        }
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
