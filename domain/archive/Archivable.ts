/**
 * Which streams may leave the database: those to which nothing more is owed. Accounts, keys, the catalog, files and what
 * operators did stay, because they are few or are read all the time. An archived stream may still get events.
 */
import type { Aggregate } from "../Aggregate.ts"
import type { DomainEvent, EventCodec } from "../EventCodec.ts"
import * as IdempotencyKey from "../idempotency-key/IdempotencyKey.ts"
import * as InferenceRequest from "../inference-request/InferenceRequest.ts"
import { isSettled } from "../inference-request/State.ts"
import * as WebhookDelivery from "../webhook-delivery/WebhookDelivery.ts"

type Recorded = Parameters<EventCodec<DomainEvent>["decode"]>[0]

/** Whether a stream with these events may be archived at `now`, Unix time in ms. */
type Rule = (events: ReadonlyArray<Recorded>, now: number) => boolean

const rule = <State, Command, Event extends DomainEvent, Rejection>(
  { category, codec, decider }: Aggregate<State, Command, Event, Rejection>,
  isOver: (state: State, now: number) => boolean
): readonly [string, Rule] => [
  category,
  (events, now) => isOver(events.map(codec.decode).reduce(decider.evolve, decider.initial), now)
]

/** By category. */
export const rules: ReadonlyMap<string, Rule> = new Map([
  rule(InferenceRequest.aggregate, isSettled),
  rule(
    WebhookDelivery.aggregate,
    (state) =>
      state._tag === "Delivery" && (state.phase._tag === "Delivered" || state.phase._tag === "Failed")
  ),
  rule(IdempotencyKey.aggregate, (state, now) => state._tag === "Reserved" && state.expiresAt <= now)
])
