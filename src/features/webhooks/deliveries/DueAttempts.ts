/** Claims deliveries whose next attempt is due. */
import { Clock, Effect, Exit, Option } from "effect"
import type { DeliveryId } from "#domain/webhook-delivery/DeliveryId.ts"
import { isDue } from "#domain/webhook-delivery/NextAction.ts"
import type { Delivery } from "#domain/webhook-delivery/State.ts"
import * as WebhookDelivery from "#domain/webhook-delivery/WebhookDelivery.ts"
import * as Payload from "#streams/Payload.ts"
import * as StreamName from "#streams/StreamName.ts"
import { Nodes } from "#src/platform/cluster/Nodes.ts"
import { SteadyTime } from "#src/kernel/time/SteadyTime.ts"
import { DeliveryActors } from "../DeliveryActors.ts"
import type { Claimed, ClaimServices, DeliverySlot } from "./Attempts.ts"
import { patienceMs } from "./Postponed.ts"
import type { RecentClaims } from "./RecentClaims.ts"
import { whileMade } from "./Slots.ts"

export const make = ({ attempts, late, noteNoRoom, slots }: ClaimServices, recent: RecentClaims) =>
  Effect.gen(function* () {
    const actors = yield* DeliveryActors
    const payloads = yield* Payload.Payloads
    const steady = yield* SteadyTime
    const node = yield* Nodes
    const clock = yield* Clock.Clock

    const find = Effect.fnUntraced(function* (id: DeliveryId) {
      const now = steady.nowOf(clock)
      const isDueNow = (state: Delivery) => isDue(state, now)
      const { state: known } = actors.peek(id) ?? (yield* actors.current(id))
      if (known._tag === "Delivery" && isDueNow(known)) return known
      // Another node may know more: a stale state here must not refuse the same row again and again.
      const { state } = yield* actors.refresh(id)
      return state._tag === "Delivery" && isDueNow(state) ? state : null
    })

    /** A node that scheduled it may have died before it noticed that the request was erased. */
    const isErasedLate = ({ history, scheduled }: Delivery, id: DeliveryId) =>
      late.isChecked(scheduled) || history.some(({ durationMs }) => durationMs !== null)
        ? Effect.succeed(false)
        : // An unreadable request counts as not erased, because the body is already stored.
          Effect.catchDefect(late.eraseIfLate(id, scheduled.requestId), () => Effect.succeed(false))

    /** A delivery that can never be sent is given up; otherwise it would be retried for ever. */
    const abandon = Effect.fnUntraced(function* (
      id: DeliveryId,
      { scheduled }: Delivery,
      error: Payload.PayloadUnavailable
    ) {
      const at = yield* steady.now
      if (at - scheduled.at <= patienceMs) return yield* error
      yield* Effect.logError("The body of a webhook cannot be read; the webhook is not sent", error)
      yield* actors
        .execute(id, { _tag: "Abandon", at })
        .pipe(Effect.catchTag("AttemptNotDue", () => Effect.void))
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
    const prepare = Effect.fnUntraced(function* (id: DeliveryId, delivery: Delivery) {
      if (yield* isErasedLate(delivery, id)) return null
      const text = yield* open(id, delivery)
      return text === null ? null : yield* attempts.sign(id, delivery.scheduled.accountId, text)
    })

    const claim = (slot: DeliverySlot, signed: Claimed["signed"] | null) => {
      if (signed === null) return attempts.leave(slot)
      const { id } = slot
      const command = { _tag: "StartAttempt", at: steady.nowOf(clock), node: node.self } as const
      attempts.claiming(slot)
      actors.send(id, command, [], (exit) => {
        attempts.claimed(slot)
        if (Exit.isFailure(exit)) {
          const isNotDue = Option.exists(Exit.findErrorOption(exit), ({ _tag }) => _tag === "AttemptNotDue")
          const refreshed = Effect.andThen(
            actors.refresh(id),
            Effect.sync(() => attempts.leave(slot))
          )
          return attempts.fork(slot, isNotDue ? refreshed : Effect.failCause(exit.cause))
        }
        const { position, state } = exit.value
        if (position !== null) recent.add(id, position)
        if (state._tag === "Delivery") attempts.post(slot, { delivery: state, signed })
        else attempts.leave(slot)
      })
    }

    /** True if the read model has to catch up. The slot has no room for the body yet. */
    return Effect.fnUntraced(function* (slot: DeliverySlot) {
      const { id } = slot
      const delivery = yield* Effect.onError(find(id), () => Effect.sync(() => attempts.drop(slot)))
      if (delivery === null) {
        attempts.leave(slot)
        return true
      }
      const load = { ...slot.load, bytes: whileMade(delivery.scheduled.payloads.body.size) }
      if (!slots.takeBytes(load)) {
        attempts.drop(slot)
        noteNoRoom()
        return false
      }
      slot.load = load
      return yield* attempts.prepare(slot, prepare(id, delivery), (signed) => claim(slot, signed))
    })
  })
