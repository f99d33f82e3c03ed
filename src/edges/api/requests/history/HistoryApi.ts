/** The requests of an account (decisions, "History"). */
import { HttpApiGroup, OpenApi } from "effect/http-api"
import * as Authorization from "#src/edges/http/api/Authorization.ts"
import * as DeclaredRoutes from "#src/edges/http/api/DeclaredRoutes.ts"
import * as Route from "#src/edges/http/api/Route.ts"
import { ServedOn, TakesQuery } from "#src/edges/http/api/RouteAnnotations.ts"
import { listRequests } from "./ListRequests.ts"

const routes = [listRequests] as const

export class HistoryApi extends HttpApiGroup.make("history")
  .add(...Route.endpointsOf(routes))
  .middleware(Authorization.Authorization)
  .annotate(ServedOn, ["platform"])
  // `HistoryFilter` reads every parameter that begins like `metadata.<key>`, and reports malformed ones.
  .annotate(TakesQuery, (name) => /^metadata/i.test(name))
  .annotate(OpenApi.Title, "History")
  .annotate(OpenApi.Description, "All requests of an account.") {}

export const layer = DeclaredRoutes.layer(Authorization.admit, routes)
