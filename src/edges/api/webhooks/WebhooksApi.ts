/** Webhook deliveries and the secret that they are signed with (contract, "Webhook management"). */
import { Schema } from "effect"
import { HttpApiGroup, OpenApi, HttpApiEndpoint, HttpApiSchema } from "effect/http-api"
import * as Authorization from "#src/edges/http/api/Authorization.ts"
import * as DeclaredRoutes from "#src/edges/http/api/DeclaredRoutes.ts"
import * as Route from "#src/edges/http/api/Route.ts"
import { ServedOn, Requires } from "#src/edges/http/api/RouteAnnotations.ts"
import * as DeliveryView from "#src/features/webhooks/views/DeliveryView.ts"
import { Webhooks } from "#src/features/webhooks/Webhooks.ts"
import * as Answer from "#src/edges/http/Answer.ts"
import * as CommonResponses from "#src/edges/http/api/CommonResponses.ts"
import { listDeliveries } from "./ListDeliveries.ts"
import { recoverDeliveries } from "./RecoverDeliveries.ts"
import { getSigningSecret, rotateSigningSecret } from "./SigningSecret.ts"

/** What the routes of webhook deliveries have in common. */
const paramsOfDelivery = {
  deliveryId: Schema.String.annotate({ description: "The `webhook-id` that receivers get." })
}

/** `GET /webhooks/deliveries/{id}`: one delivery, with its attempts. */
const getDeliveryEndpoint = HttpApiEndpoint.get("getDelivery", "/webhooks/deliveries/:deliveryId", {
  params: paramsOfDelivery,
  success: DeliveryView.DetailedBody,
  error: CommonResponses.usualOfOne
})
  .annotate(Requires, "webhooks:read")
  .annotate(OpenApi.Summary, "One delivery with its attempts")
  .annotate(OpenApi.Description, "The current state, with the attempts so far.")

const getDelivery = Route.make(getDeliveryEndpoint, Webhooks, function* (webhooks, { params }, caller) {
  const delivery = yield* webhooks.get({ caller, id: params.deliveryId })
  return Answer.json(200, DeliveryView.detailed(delivery))
})

/** `POST /webhooks/deliveries/{id}/replay`: sends a delivery again (decisions, "Replay"). It reads no body. */
const replayDeliveryEndpoint = HttpApiEndpoint.post(
  "replayDelivery",
  "/webhooks/deliveries/:deliveryId/replay",
  {
    params: paramsOfDelivery,
    success: DeliveryView.DeliveryBody.pipe(HttpApiSchema.status(202)),
    error: [...CommonResponses.usualOfOne, CommonResponses.conflict, CommonResponses.gone]
  }
)
  .annotate(Requires, "webhooks:write")
  .annotate(OpenApi.Summary, "Send a delivery again")
  .annotate(
    OpenApi.Description,
    "Sends the same `webhook-id` and body again, signed afresh, with ten more attempts, whatever the status of the delivery. Needs no body."
  )

const replayDelivery = Route.make(replayDeliveryEndpoint, Webhooks, function* (webhooks, { params }, caller) {
  const delivery = yield* webhooks.replay({ caller, id: params.deliveryId })
  return Answer.json(202, DeliveryView.record(delivery))
})

const routes = [
  listDeliveries,
  getDelivery,
  replayDelivery,
  recoverDeliveries,
  getSigningSecret,
  rotateSigningSecret
] as const

export class WebhooksApi extends HttpApiGroup.make("webhooks")
  .add(...Route.endpointsOf(routes))
  .middleware(Authorization.Authorization)
  .annotate(ServedOn, ["platform"])
  .annotate(OpenApi.Title, "Webhooks")
  .annotate(OpenApi.Description, "Deliveries of webhooks, their attempts and replays.") {}

export const layer = DeclaredRoutes.layer(Authorization.admit, routes)
