/**
 * Reads what the attempts of due deliveries need, for many of them at once. What is not found here, or cannot be read, is read
 * for each delivery alone.
 */
import { Effect } from "effect"
import type { PayloadRef } from "#domain/PayloadRef.ts"
import type { DeliveryId } from "#domain/webhook-delivery/DeliveryId.ts"
import * as WebhookDelivery from "#domain/webhook-delivery/WebhookDelivery.ts"
import { Payloads } from "#streams/Payload.ts"
import * as StreamName from "#streams/StreamName.ts"
import { DeliveryActors } from "../DeliveryActors.ts"

/** The largest body that is read with others, in bytes: as many as are read at once fit into the memory for recent texts. */
const largest = 16 * 1024

export const make = Effect.gen(function* () {
  const actors = yield* DeliveryActors
  const payloads = yield* Payloads

  const bodiesOf = (ids: ReadonlyArray<DeliveryId>) => {
    const refs = new Map<StreamName.StreamName, PayloadRef>()
    for (const id of ids) {
      const state = actors.peek(id)?.state
      if (state?._tag !== "Delivery" || state.scheduled.payloads.body.size > largest) continue
      refs.set(StreamName.make(WebhookDelivery.aggregate.category, id), state.scheduled.payloads.body)
    }
    return payloads.readAhead(WebhookDelivery.bodyName, refs)
  }

  return (ids: ReadonlyArray<DeliveryId>): Effect.Effect<void> =>
    Effect.ignore(
      Effect.andThen(
        actors.readAhead(ids),
        Effect.suspend(() => bodiesOf(ids))
      )
    )
})
