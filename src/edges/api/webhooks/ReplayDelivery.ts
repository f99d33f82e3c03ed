/** `POST /webhooks/deliveries/{id}/replay`: sends a delivery again (decisions, "Replay"). It reads no body. */
import { HttpApiEndpoint, HttpApiSchema, OpenApi } from "effect/http-api"
import * as DeliveryView from "#src/features/webhooks/views/DeliveryView.ts"
import { Webhooks } from "#src/features/webhooks/Webhooks.ts"
import * as Answer from "#src/edges/http/Answer.ts"
import * as CommonResponses from "#src/edges/http/api/CommonResponses.ts"
import * as Route from "#src/edges/http/api/Route.ts"
import { Requires } from "#src/edges/http/api/RouteAnnotations.ts"
import * as DeliveryRoute from "./DeliveryRoute.ts"

const endpoint = HttpApiEndpoint.post("replayDelivery", "/webhooks/deliveries/:deliveryId/replay", {
  params: DeliveryRoute.params,
  success: DeliveryView.DeliveryBody.pipe(HttpApiSchema.status(202)),
  error: [...CommonResponses.usualOfOne, CommonResponses.conflict, CommonResponses.gone]
})
  .annotate(Requires, "webhooks:write")
  .annotateMerge(
    OpenApi.annotations({
      summary: "Send a delivery again",
      description:
        "Sends the same `webhook-id` and body again, signed afresh, with ten more attempts, whatever the status of the delivery. Needs no body."
    })
  )

export const replayDelivery = Route.make(endpoint, Webhooks, function* (webhooks, { params }, caller) {
  const delivery = yield* webhooks.replay({ caller, id: params.deliveryId })
  return Answer.json(202, DeliveryView.record(delivery))
})
