/** Erases the stored body of a delivery together with the request's input and output. */
import { Clock, Effect } from "effect"
import type { RequestId } from "#domain/Ids.ts"
import type { DeliveryId } from "#domain/webhook-delivery/DeliveryId.ts"
import * as WebhookDelivery from "#domain/webhook-delivery/WebhookDelivery.ts"
import { Payloads } from "#streams/Payload.ts"
import * as StreamName from "#streams/StreamName.ts"
import { Nodes } from "#src/platform/cluster/Nodes.ts"
import { RequestActors } from "#src/features/requests/RequestActors.ts"
import { DeliveryActors } from "./DeliveryActors.ts"

/** Erased when it returns, and never sent after that. No effect on a missing delivery; a repeat finishes the rest. */
export const make = Effect.gen(function* () {
  const actors = yield* DeliveryActors
  const payloads = yield* Payloads

  return Effect.fn("DeliveryErasing.erase")(function* (id: DeliveryId) {
    // Another node may just have scheduled it.
    const known = yield* actors.refresh(id)
    if (known.state._tag === "NotScheduled") return
    const at = yield* Clock.currentTimeMillis
    const { state } = yield* actors
      .execute(id, { _tag: "Erase", at })
      .pipe(
        Effect.catchTag(["DeliveryNotFound", "AttemptNotDue", "DeliveryInProgress", "BodyErased"], Effect.die)
      )
    if (state._tag === "NotScheduled") return
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

/** For a delivery that was scheduled while its request was erased. Returns whether it has been erased. */
export const makeLate = Effect.gen(function* () {
  const requests = yield* RequestActors
  const node = yield* Nodes
  const erase = yield* make

  return Effect.fnUntraced(function* (id: DeliveryId, requestId: RequestId) {
    const isAlone = node.live().length < 2
    const { state } = yield* isAlone ? requests.current(requestId) : requests.refresh(requestId)
    if (state._tag === "NotSubmitted" || state.erasure === null) return false
    yield* erase(id)
    return true
  })
})
