/** Webhook deliveries and the secret that they are signed with (contract, "Webhook management"). */
import { Schema } from "effect"
import { HttpApiGroup, OpenApi, HttpApiEndpoint, HttpApiSchema } from "effect/http-api"
import * as Authorization from "#src/edges/http/api/Authorization.ts"
import * as DeclaredRoutes from "#src/edges/http/api/DeclaredRoutes.ts"
import * as Route from "#src/edges/http/api/Route.ts"
import { ServedOn, Requires } from "#src/edges/http/api/RouteAnnotations.ts"
import * as AttemptView from "#src/features/webhooks/views/AttemptView.ts"
import * as DeliveryView from "#src/features/webhooks/views/DeliveryView.ts"
import { DeliveryNotFound, Webhooks } from "#src/features/webhooks/Webhooks.ts"
import * as Answer from "#src/edges/http/Answer.ts"
import * as CommonResponses from "#src/edges/http/api/CommonResponses.ts"
import * as ErrorAnswer from "#src/edges/http/ErrorAnswer.ts"
import { listDeliveries } from "./ListDeliveries.ts"
import { recoverDeliveries } from "./RecoverDeliveries.ts"
import { getSigningSecret, rotateSigningSecret } from "./SigningSecret.ts"
import { testWebhook } from "./TestWebhook.ts"

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

/** `GET /webhooks/deliveries/{id}/attempts/{attempt}`: one attempt, as sent and answered. */
const getAttemptEndpoint = HttpApiEndpoint.get(
  "getDeliveryAttempt",
  "/webhooks/deliveries/:deliveryId/attempts/:attempt",
  {
    params: {
      ...paramsOfDelivery,
      attempt: Schema.String.annotate({ description: "The number of the attempt, from 1." })
    },
    success: AttemptView.AttemptBody,
    error: CommonResponses.usualOfOne
  }
)
  .annotate(Requires, "webhooks:read")
  .annotate(OpenApi.Summary, "One attempt, as sent and answered")
  .annotate(
    OpenApi.Description,
    "The request with its headers and body, and the first bytes of the receiver's response, of one of the last 100 attempts. Both are erased with the request's data. The body has the request's output, so the key also needs `requests:read`, and the request's model if it is for some models."
  )

const attemptNumber = /^[1-9]\d{0,9}$/

const getAttempt = Route.make(getAttemptEndpoint, Webhooks, function* (webhooks, { params }, caller) {
  const { attempt, deliveryId } = params
  if (!attemptNumber.test(attempt)) return yield* new DeliveryNotFound()
  if (!caller.grant.scopes.includes("requests:read")) return yield* ErrorAnswer.missingScope("requests:read")
  const found = yield* webhooks.attempt({ caller, id: deliveryId, number: Number(attempt) })
  return Answer.json(200, AttemptView.detailed(found))
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
  getAttempt,
  replayDelivery,
  recoverDeliveries,
  getSigningSecret,
  rotateSigningSecret,
  testWebhook
] as const

export class WebhooksApi extends HttpApiGroup.make("webhooks")
  .add(...Route.endpointsOf(routes))
  .middleware(Authorization.Authorization)
  .annotate(ServedOn, ["platform"])
  .annotate(OpenApi.Title, "Webhooks")
  .annotate(OpenApi.Description, "Deliveries of webhooks, their attempts and replays.") {}

export const layer = DeclaredRoutes.layer(Authorization.admit, routes)
