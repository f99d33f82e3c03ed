/** Webhook deliveries and the secret that they are signed with (contract, "Webhook management"). */
import { HttpApiGroup, OpenApi } from "effect/http-api"
import * as Authorization from "#src/edges/http/api/Authorization.ts"
import * as DeclaredRoutes from "#src/edges/http/api/DeclaredRoutes.ts"
import * as Route from "#src/edges/http/api/Route.ts"
import { ServedOn } from "#src/edges/http/api/RouteAnnotations.ts"
import { listDeliveries } from "./ListDeliveries.ts"
import { getDelivery } from "./GetDelivery.ts"
import { replayDelivery } from "./ReplayDelivery.ts"
import { recoverDeliveries } from "./RecoverDeliveries.ts"
import { getSigningSecret } from "./GetSigningSecret.ts"
import { rotateSigningSecret } from "./RotateSigningSecret.ts"

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
  .annotateMerge(
    OpenApi.annotations({
      title: "Webhooks",
      description: "Deliveries of webhooks, their attempts and replays."
    })
  ) {}

export const layer = DeclaredRoutes.layer(Authorization.admit, routes)
