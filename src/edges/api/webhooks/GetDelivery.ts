/** `GET /webhooks/deliveries/{id}`: one delivery, with its attempts. */
import { Effect } from "effect"
import { Webhooks } from "#src/features/webhooks/Webhooks.ts"
import * as Answer from "#src/edges/http/Answer.ts"
import * as DeliveryView from "#src/features/webhooks/views/DeliveryView.ts"
import type { DeliveryCall } from "./DeliveryCall.ts"

export const make = Effect.gen(function* () {
  const webhooks = yield* Webhooks

  return Effect.fnUntraced(function* ({ caller, params }: DeliveryCall) {
    const delivery = yield* webhooks.get({ caller, id: params.deliveryId })
    return Answer.json(200, DeliveryView.detailed(delivery))
  })
})
