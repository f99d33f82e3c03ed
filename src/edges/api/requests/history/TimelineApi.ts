/** What happened to a request (decisions, "Timeline"). */
import { Layer } from "effect"
import { HttpApiGroup, OpenApi } from "effect/http-api"
import { Timeline } from "#src/features/requests/Timeline.ts"
import * as Authorization from "#src/edges/http/api/Authorization.ts"
import * as DeclaredRoutes from "#src/edges/http/api/DeclaredRoutes.ts"
import * as Route from "#src/edges/http/api/Route.ts"
import { ServedOn } from "#src/edges/http/api/RouteAnnotations.ts"
import { listRequestEvents } from "./ListEvents.ts"

const routes = [listRequestEvents] as const

export class TimelineApi extends HttpApiGroup.make("timeline")
  .add(...Route.endpointsOf(routes))
  .middleware(Authorization.Authorization)
  .annotate(ServedOn, ["queue", "platform"])
  .annotateMerge(
    OpenApi.annotations({ title: "Timeline", description: "Everything that happened to one request." })
  ) {}

export const layer = DeclaredRoutes.layer(Authorization.admit, routes).pipe(Layer.provide(Timeline.layer))
