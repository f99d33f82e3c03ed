/** `POST /webhooks/deliveries/{id}/replay`: 202, it is sent again (decisions, "Replay"). Whatever body comes is not read. */
import { Effect } from "effect"
import { Webhooks } from "#src/features/webhooks/Webhooks.ts"
import * as Answer from "#src/edges/http/Answer.ts"
import * as DeliveryView from "#src/features/webhooks/views/DeliveryView.ts"
import type { DeliveryCall } from "./DeliveryCall.ts"

export const make = Effect.gen(function* () {
  const webhooks = yield* Webhooks

  return Effect.fnUntraced(function* ({ caller, params }: DeliveryCall) {
    const delivery = yield* webhooks.replay({ caller, id: params.deliveryId })
    return Answer.json(202, DeliveryView.record(delivery))
  })
})
