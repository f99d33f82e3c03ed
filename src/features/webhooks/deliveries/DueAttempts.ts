/** Claims deliveries whose next attempt is due. */
import { Effect } from "effect"
import type { DeliveryId } from "#domain/webhook-delivery/DeliveryId.ts"
import { isDue } from "#domain/webhook-delivery/NextAction.ts"
import type { Delivery } from "#domain/webhook-delivery/State.ts"
import * as WebhookDelivery from "#domain/webhook-delivery/WebhookDelivery.ts"
import type { DueDelivery } from "#projections/deliveries/DueDeliveries.ts"
import * as Payload from "#streams/Payload.ts"
import * as StreamName from "#streams/StreamName.ts"
import { Nodes } from "#src/platform/cluster/Nodes.ts"
import { SteadyTime } from "#src/kernel/time/SteadyTime.ts"
import { DeliveryActors } from "../DeliveryActors.ts"
import * as DeliveryErasing from "../DeliveryErasing.ts"
import type { Attempts, Claimed } from "./Attempts.ts"
import { patienceMs } from "./Postponed.ts"
import { type Slots, whileMade } from "./Slots.ts"

export const make = (slots: Slots, attempts: Attempts) =>
  Effect.gen(function* () {
    const actors = yield* DeliveryActors
    const payloads = yield* Payload.Payloads
    const steady = yield* SteadyTime
    const node = yield* Nodes
    const eraseIfLate = yield* DeliveryErasing.makeLate

    const find = Effect.fnUntraced(function* (id: DeliveryId) {
      const now = yield* steady.now
      const isDueNow = (state: Delivery) => isDue(state, now)
      const { state: known } = yield* actors.current(id)
      if (known._tag === "Delivery" && isDueNow(known)) return known
      // Another node may know more: a stale state here must not refuse the same row again and again.
      const { state } = yield* actors.refresh(id)
      return state._tag === "Delivery" && isDueNow(state) ? state : null
    })

    /** A node that scheduled it may have died before it noticed that the request was erased. */
    const isErasedLate = ({ history, scheduled }: Delivery, id: DeliveryId) =>
      history.every(({ durationMs }) => durationMs === null)
        ? // An unreadable request counts as not erased, because the body is already stored.
          Effect.catchDefect(eraseIfLate(id, scheduled.requestId), () => Effect.succeed(false))
        : Effect.succeed(false)

    /** A delivery that can never be sent is given up; otherwise it would be retried for ever. */
    const abandon = Effect.fnUntraced(function* (
      id: DeliveryId,
      { scheduled }: Delivery,
      error: Payload.PayloadUnavailable
    ) {
      const at = yield* steady.now
      if (at - scheduled.at <= patienceMs) return yield* error
      yield* Effect.logError("The body of a webhook cannot be read; the webhook is not sent", error)
      yield* actors.execute(id, { _tag: "Abandon", at })
      return null
    })

    const open = (id: DeliveryId, delivery: Delivery) =>
      payloads
        .open(
          StreamName.make(WebhookDelivery.aggregate.category, id),
          WebhookDelivery.bodyName,
          delivery.scheduled.payloads.body
        )
        .pipe(Effect.catchTag("PayloadUnavailable", (error) => abandon(id, delivery, error)))

    /** Everything needed is read before the claim, so that no attempt is wasted. */
    const claim = Effect.fnUntraced(function* (id: DeliveryId, delivery: Delivery) {
      if (yield* isErasedLate(delivery, id)) return null
      const text = yield* open(id, delivery)
      if (text === null) return null
      const signed = yield* attempts.sign(id, delivery.scheduled.accountId, text)
      const at = yield* steady.now
      const { state } = yield* actors.execute(id, { _tag: "StartAttempt", at, node: node.self })
      return state._tag === "Delivery" ? ({ delivery: state, signed } satisfies Claimed) : null
    })

    /** True if the read model has to catch up. */
    return Effect.fnUntraced(function* ({ accountId, deliveryId: id, origin }: DueDelivery) {
      if (attempts.has(id) || !slots.isOpen({ accountId, origin })) return false
      const delivery = yield* find(id)
      if (delivery === null) return true
      const load = { accountId, origin, bytes: whileMade(delivery.scheduled.payloads.body.size) }
      if (!slots.take(load)) return false
      const claiming = Effect.catchTag(claim(id, delivery), "AttemptNotDue", () =>
        Effect.as(actors.refresh(id), null)
      )
      const place = { id, accountId, load }
      return yield* attempts.within(place, (restore) =>
        Effect.flatMap(restore(claiming), (claimed) =>
          claimed === null ? attempts.leave(place) : attempts.send(place, claimed)
        )
      )
    })
  })
