/** Statuses and outputs as server-sent events (decisions, "Server-sent events" and "Client habits"). */
import { Layer } from "effect"
import { HttpApiGroup, OpenApi } from "effect/http-api"
import { LiveStatus } from "#projections/live-status/LiveStatus.ts"
import { LiveHub } from "#src/features/requests/live/LiveHub.ts"
import { LiveProgress } from "#src/features/requests/live/LiveProgress.ts"
import * as Authorization from "#src/edges/http/api/Authorization.ts"
import * as DeclaredRoutes from "#src/edges/http/api/DeclaredRoutes.ts"
import * as Route from "#src/edges/http/api/Route.ts"
import { AnswersHead, Requires } from "#src/edges/http/api/RouteAnnotations.ts"
import { streamRequests } from "./AccountStream.ts"
import { streamOutput } from "./OutputStream.ts"
import { streamStatus } from "./StatusStream.ts"

const routes = [streamRequests, streamStatus, streamOutput] as const

export class StreamsApi extends HttpApiGroup.make("streams")
  .add(...Route.endpointsOf(routes))
  .middleware(Authorization.Authorization)
  .annotate(AnswersHead, false)
  .annotate(Requires, "requests:read")
  .annotate(OpenApi.Title, "Streams")
  .annotate(OpenApi.Description, "Statuses and outputs of requests as they change, as server-sent events.") {}

export const layer = DeclaredRoutes.layer(Authorization.admit, routes).pipe(
  Layer.provide([LiveHub.layer, LiveProgress.layer]),
  Layer.provide(LiveStatus.layer)
)
