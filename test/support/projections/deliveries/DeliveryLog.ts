/** Writes webhook deliveries to the log with the domain's events, for tests of their read models. */
import { type Array as NonEmpty, Effect } from "effect"
import * as DeliveryRecovery from "#domain/delivery-recovery/DeliveryRecovery.ts"
import { DeliveryId } from "#domain/webhook-delivery/DeliveryId.ts"
import { codec, type DeliveryScheduled, type Event } from "#domain/webhook-delivery/Event.ts"
import { EventStore } from "#streams/EventStore.ts"
import * as ExpectedVersion from "#streams/ExpectedVersion.ts"
import type { EventData } from "#streams/RecordedEvent.ts"
import * as StreamName from "#streams/StreamName.ts"
import { alice, requestId, t0 } from "#test/support/projections/RequestLog.ts"

/** Ids in the order of their numbers. */
export const deliveryId = (number: number): DeliveryId =>
  DeliveryId.make(`msg_${String(number).padStart(22, "0")}`)

const numberOf = ({ deliveryId }: { readonly deliveryId: string }) => Number(deliveryId.slice(4))
export const numbersOf = (found: ReadonlyArray<{ readonly deliveryId: string }>) => found.map(numberOf)

/** Of request `number`. */
export const scheduled = (
  number: number,
  options: Partial<Omit<DeliveryScheduled, "_tag">> = {}
): DeliveryScheduled => ({
  _tag: "DeliveryScheduled",
  at: t0,
  accountId: alice,
  requestId: requestId(number),
  event: "completed",
  url: "https://one.example/hooks",
  payloads: { body: { hash: "hash", size: 2 } },
  ...options
})

export const started = (attempt: number, at = t0, node = "node-1"): Event => ({
  _tag: "AttemptStarted",
  at,
  attempt,
  node
})

export const failed = (attempt: number, nextAttemptAt: number | null, at = t0): Event => ({
  _tag: "AttemptFailed",
  at,
  attempt,
  responseStatus: 503,
  error: "http_503",
  durationMs: 40,
  nextAttemptAt
})

export const succeeded = (attempt: number, at = t0): Event => ({
  _tag: "AttemptSucceeded",
  at,
  attempt,
  responseStatus: 204,
  durationMs: 40
})

/** It fails permanently at the first attempt. */
export const givenUp = (at = t0): NonEmpty.NonEmptyReadonlyArray<Event> => [
  started(1, at),
  failed(1, null, at),
  { _tag: "DeliveryFailed", at, reason: "exhausted" }
]

let written = 0

const append = Effect.fnUntraced(function* (
  stream: StreamName.StreamName,
  events: NonEmpty.NonEmptyReadonlyArray<Omit<EventData, "id">>
) {
  const [first, ...others] = events
  const named = (event: Omit<EventData, "id">) => ({ id: `delivery-event-${written++}`, ...event })
  yield* (yield* EventStore).append({
    stream,
    expected: ExpectedVersion.Any,
    events: [named(first), ...others.map(named)]
  })
})

/** Appends to the stream of delivery `number`. */
export const deliver = (number: number, first: Event, ...others: ReadonlyArray<Event>) =>
  append(StreamName.make("WebhookDelivery", deliveryId(number)), [
    codec.encode(first),
    ...others.map(codec.encode)
  ])

export const recovery = (recoveryId: string, event: DeliveryRecovery.Event) =>
  append(StreamName.make("DeliveryRecovery", recoveryId), [DeliveryRecovery.codec.encode(event)])
