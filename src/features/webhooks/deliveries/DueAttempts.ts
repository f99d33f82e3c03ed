/** Claims deliveries whose next attempt is due. */
import { Clock, Effect, Exit, Option } from "effect"
import type { DeliveryId } from "#domain/webhook-delivery/DeliveryId.ts"
import { isDue } from "#domain/webhook-delivery/NextAction.ts"
import type { Delivery, State } from "#domain/webhook-delivery/State.ts"
import * as WebhookDelivery from "#domain/webhook-delivery/WebhookDelivery.ts"
import * as Payload from "#streams/Payload.ts"
import * as StreamName from "#streams/StreamName.ts"
import { Nodes } from "#src/platform/cluster/Nodes.ts"
import * as Settled from "#src/kernel/async/Settled.ts"
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

    /** `null` if it is not due. */
    const dueOf = (state: State | undefined, now: number) =>
      state?._tag === "Delivery" && isDue(state, now) ? state : null

    const findStored = Effect.fnUntraced(function* (id: DeliveryId, now: number) {
      const known = dueOf((yield* actors.current(id)).state, now)
      // Another node may know more: a stale state here must not refuse the same row again and again.
      return known ?? dueOf((yield* actors.refresh(id)).state, now)
    })

    const find = (id: DeliveryId) => {
      const now = steady.nowOf(clock)
      const known = dueOf(actors.peek(id)?.state, now)
      return known === null ? findStored(id, now) : Effect.succeed(known)
    }

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

    const open = (id: DeliveryId, delivery: Delivery) => {
      const opened = payloads.open(
        StreamName.make(WebhookDelivery.aggregate.category, id),
        WebhookDelivery.bodyName,
        delivery.scheduled.payloads.body
      )
      return Settled.hasSucceeded(opened)
        ? opened
        : Effect.catchTag(opened, "PayloadUnavailable", (error) => abandon(id, delivery, error))
    }

    /** Everything needed is read before the claim, so that no attempt is wasted. */
    const prepare = (id: DeliveryId, delivery: Delivery) =>
      Effect.flatMapEager(isErasedLate(delivery, id), (isErased) =>
        isErased
          ? Effect.succeed(null)
          : Effect.flatMapEager(open(id, delivery), (text) =>
              text === null ? Effect.succeed(null) : attempts.sign(id, delivery.scheduled.accountId, text)
            )
      )

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

    const begin = (slot: DeliverySlot, delivery: Delivery | null): Effect.Effect<boolean> => {
      if (delivery === null) {
        attempts.leave(slot)
        return Effect.succeed(true)
      }
      const load = { ...slot.load, bytes: whileMade(delivery.scheduled.payloads.body.size) }
      if (!slots.takeBytes(load)) {
        attempts.drop(slot)
        noteNoRoom()
        return Effect.succeed(false)
      }
      slot.load = load
      return attempts.prepare(slot, prepare(slot.id, delivery), (signed) => claim(slot, signed))
    }

    /** True if the read model has to catch up. The slot has no room for the body yet. An `Exit` if nothing has to be read. */
    return (slot: DeliverySlot) => {
      const found = find(slot.id)
      const kept = Settled.hasSucceeded(found)
        ? found
        : Effect.onError(found, () => Effect.sync(() => attempts.drop(slot)))
      return Effect.flatMapEager(kept, (delivery) => begin(slot, delivery))
    }
  })
