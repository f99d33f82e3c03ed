/** Writes requests to the log with the domain's events, for tests of read models. */
import { type Array as NonEmpty, Effect } from "effect"
import { AccountId, KeyId, RequestId } from "#domain/Ids.ts"
import { codec, type Event, type RequestSubmitted } from "#domain/inference-request/Event.ts"
import { ModelEndpoint } from "#domain/ModelEndpoint.ts"
import { NanoUsd, units } from "#domain/Money.ts"
import * as Pricing from "#domain/Pricing.ts"
import * as RetrySchedule from "#domain/RetrySchedule.ts"
import { EventStore } from "#streams/EventStore.ts"
import * as ExpectedVersion from "#streams/ExpectedVersion.ts"
import type { EventData } from "#streams/RecordedEvent.ts"
import * as StreamName from "#streams/StreamName.ts"

/** 2023-11-14T22:13:20Z, Unix time in ms. */
export const t0 = 1_700_000_000_000

export const echo = ModelEndpoint.make("sandbox/echo")
export const slow = ModelEndpoint.make("sandbox/slow")
export const alice = AccountId.make("acc_alice")
export const bob = AccountId.make("acc_bob")
export const carol = AccountId.make("acc_carol")

/** Ids in the order of their numbers. */
export const requestId = (number: number): RequestId =>
  RequestId.make(`rq${String(number).padStart(19, "0")}`)

const price: Pricing.Price = {
  unit: "request",
  unitPrice: NanoUsd.make(1_000_000n),
  minimumCharge: NanoUsd.make(0n)
}

export const submitted = (
  accountId: AccountId,
  model: ModelEndpoint,
  at = t0,
  metadata: Record<string, string> = {}
): RequestSubmitted => ({
  _tag: "RequestSubmitted",
  at,
  accountId,
  keyId: KeyId.make("key_test"),
  model,
  modelVersion: "1",
  metadata,
  quote: Pricing.quote(price, units(1), units(1)),
  retry: RetrySchedule.transportErrors,
  payloads: { input: { hash: "hash", size: 2 } }
})

export const dispatched = (attempt: number, at = t0, node = "node-1"): Event => ({
  _tag: "DispatchStarted",
  at,
  attempt,
  provider: "builtin",
  node
})

export const started = (attempt: number, at = t0): Event => ({ _tag: "RequestStarted", at, attempt })

export const requeued = (attempt: number, dueAt: number, at = t0): Event => ({
  _tag: "RequestRequeued",
  at,
  attempt,
  reason: "rate_limited",
  message: null,
  dueAt
})

export const completed = (attempt: number, at = t0): Event => ({
  _tag: "RequestCompleted",
  at,
  attempt,
  billing: { status: "charged", amount: NanoUsd.make(1_000_000n), units: units(1) },
  error: null
})

let written = 0

const encode = (event: Event): EventData => ({ id: `event-${written++}`, ...codec.encode(event) })

/** Appends to the stream of request `number`. Returns the position of the last event. */
export const append = Effect.fnUntraced(function* (
  number: number,
  ...events: NonEmpty.NonEmptyReadonlyArray<Event>
) {
  const store = yield* EventStore
  const [first, ...others] = events
  const { position } = yield* store.append({
    stream: StreamName.make("InferenceRequest", requestId(number)),
    expected: ExpectedVersion.Any,
    events: [encode(first), ...others.map(encode)]
  })
  return position
})

/** An event of a known type with data that no released version could have written. */
export const appendCorrupt = Effect.fnUntraced(function* (number: number, type: string) {
  const store = yield* EventStore
  const { position } = yield* store.append({
    stream: StreamName.make("InferenceRequest", requestId(number)),
    expected: ExpectedVersion.Any,
    events: [{ id: `event-${written++}`, type, time: t0, data: { broken: true } }]
  })
  return position
})
