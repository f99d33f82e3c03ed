/** Erases the frozen body of a delivery, when the request's own input and output are erased. */
import { Clock, Effect } from "effect"
import type { DeliveryId } from "#domain/webhook-delivery/DeliveryId.ts"
import * as WebhookDelivery from "#domain/webhook-delivery/WebhookDelivery.ts"
import { Payloads } from "#streams/Payload.ts"
import * as StreamName from "#streams/StreamName.ts"
import { DeliveryActors } from "./DeliveryActors.ts"

/**
 * Gone when it returns; what has not been delivered by then never will be. Nothing happens when there is no such delivery,
 * and repeated it does what is left.
 */
export const make = Effect.gen(function* () {
  const actors = yield* DeliveryActors
  const payloads = yield* Payloads

  return Effect.fn("DeliveryErasing.erase")(function* (id: DeliveryId) {
    const at = yield* Clock.currentTimeMillis
    const { state } = yield* actors.execute(id, { _tag: "Erase", at }).pipe(
      // Another node may have scheduled it since this one asked.
      Effect.catchTag("DeliveryNotFound", () => actors.refresh(id)),
      Effect.catchTag(["AttemptNotDue", "DeliveryInProgress", "BodyErased"], Effect.die)
    )
    if (state._tag === "NotScheduled" || !state.isErased) return
    const { accountId, payloads: refs } = state.scheduled
    const stream = StreamName.make(WebhookDelivery.aggregate.category, id)
    yield* payloads.removeErased({
      owner: accountId,
      stream,
      name: WebhookDelivery.bodyName,
      ref: refs.body
    })
  })
})
