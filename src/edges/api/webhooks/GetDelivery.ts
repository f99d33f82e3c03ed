/** `GET /webhooks/deliveries/{id}`: one delivery, with its attempts. */
import { Effect } from "effect"
import { HttpApiEndpoint, OpenApi } from "effect/http-api"
import type { Caller } from "#src/features/accounts/Caller.ts"
import * as DeliveryView from "#src/features/webhooks/views/DeliveryView.ts"
import { Webhooks } from "#src/features/webhooks/Webhooks.ts"
import * as Answer from "#src/edges/http/Answer.ts"
import * as CommonResponses from "#src/edges/http/api/CommonResponses.ts"
import * as Route from "#src/edges/http/api/Route.ts"
import { Requires } from "#src/edges/http/api/RouteAnnotations.ts"
import * as DeliveryRoute from "./DeliveryRoute.ts"

const endpoint = HttpApiEndpoint.get("getDelivery", "/webhooks/deliveries/:deliveryId", {
  params: DeliveryRoute.params,
  success: DeliveryView.DetailedBody,
  error: CommonResponses.usualOfOne
})
  .annotate(Requires, "webhooks:read")
  .annotateMerge(
    OpenApi.annotations({
      identifier: "getDelivery",
      summary: "One delivery with its attempts",
      description: "The current state, with the attempts so far."
    })
  )

export const getDelivery = Route.make(
  endpoint,
  Effect.gen(function* () {
    const webhooks = yield* Webhooks

    return Effect.fnUntraced(function* ({ params }: Route.Call<typeof endpoint>, caller: Caller) {
      const delivery = yield* webhooks.get({ caller, id: params.deliveryId })
      return Answer.json(200, DeliveryView.detailed(delivery))
    })
  })
)
