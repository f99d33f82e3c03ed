/** `GET /webhooks/deliveries/{id}`: one delivery, with its attempts. */
import { HttpApiEndpoint, OpenApi } from "effect/http-api"
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
      summary: "One delivery with its attempts",
      description: "The current state, with the attempts so far."
    })
  )

export const getDelivery = Route.make(endpoint, Webhooks, function* (webhooks, { params }, caller) {
  const delivery = yield* webhooks.get({ caller, id: params.deliveryId })
  return Answer.json(200, DeliveryView.detailed(delivery))
})
