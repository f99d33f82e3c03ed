/** From a delivery whose next attempt is due to the claim of it. */
import { Effect } from "effect"
import type { DeliveryId } from "#domain/webhook-delivery/DeliveryId.ts"
import { isDue } from "#domain/webhook-delivery/NextAction.ts"
import type { Delivery } from "#domain/webhook-delivery/State.ts"
import * as WebhookDelivery from "#domain/webhook-delivery/WebhookDelivery.ts"
import type { DueDelivery } from "#projections/deliveries/DueDeliveries.ts"
import { Payloads } from "#streams/Payload.ts"
import * as StreamName from "#streams/StreamName.ts"
import { Nodes } from "#src/cluster/Nodes.ts"
import { SteadyTime } from "#src/SteadyTime.ts"
import { DeliveryActors } from "#src/webhooks/DeliveryActors.ts"
import * as DeliveryErasing from "#src/webhooks/DeliveryErasing.ts"
import type { Attempts, Claimed } from "./Attempts.ts"
import type { Places } from "./Places.ts"

export const make = (places: Places, attempts: Attempts) =>
  Effect.gen(function* () {
    const actors = yield* DeliveryActors
    const payloads = yield* Payloads
    const steady = yield* SteadyTime
    const node = yield* Nodes
    const eraseIfLate = yield* DeliveryErasing.makeLate

    const find = Effect.fnUntraced(function* (id: DeliveryId) {
      const now = yield* steady.now
      const isDueNow = (state: Delivery) => isDue(state, now)
      const { state: known } = yield* actors.current(id)
      if (known._tag === "Delivery" && isDueNow(known)) return known
      // Another node may know better: what this one remembers is not to refuse the same row for ever.
      const { state } = yield* actors.refresh(id)
      return state._tag === "Delivery" && isDueNow(state) ? state : null
    })

    /** A node that scheduled it may have gone down before it found out that the request had been erased. */
    const isErasedLate = ({ history, scheduled }: Delivery, id: DeliveryId) =>
      history.every(({ durationMs }) => durationMs === null)
        ? // Of a request that cannot be read nobody knows, and the body is frozen.
          Effect.catchDefect(eraseIfLate(id, scheduled.requestId), () => Effect.succeed(false))
        : Effect.succeed(false)

    /** What it takes to send it is at hand before it is claimed: an attempt is spent on nothing else. */
    const claim = Effect.fnUntraced(function* (id: DeliveryId, delivery: Delivery) {
      if (yield* isErasedLate(delivery, id)) return null
      const { scheduled } = delivery
      const stream = StreamName.make(WebhookDelivery.aggregate.category, id)
      const text = yield* payloads.open(stream, WebhookDelivery.bodyName, scheduled.payloads.body)
      const signed = yield* attempts.sign(id, scheduled.accountId, text)
      const at = yield* steady.now
      const { state } = yield* actors.execute(id, { _tag: "StartAttempt", at, node: node.self })
      return state._tag === "Delivery" ? ({ delivery: state, signed } satisfies Claimed) : null
    })

    /** True when the read model has something to catch up with: a claim, or what made the row stale. */
    return Effect.fnUntraced(function* ({ accountId, deliveryId: id, origin }: DueDelivery) {
      if (attempts.has(id)) return false
      const delivery = yield* find(id)
      if (delivery === null) return true
      const target = { accountId, origin, bytes: delivery.scheduled.payloads.body.size }
      if (!places.take(target)) return false
      const claiming = Effect.catchTag(claim(id, delivery), "AttemptNotDue", () =>
        Effect.as(actors.refresh(id), null)
      )
      yield* attempts.begin(id, target, claiming)
      return true
    })
  })
