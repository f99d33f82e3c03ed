/** The addresses to which clients send browsers for an authorization (OAuth 2.1, 4.1). `SignInApi` has the pages. */
import { HttpApiGroup, OpenApi } from "effect/http-api"
import * as DeclaredRoutes from "#src/edges/http/api/DeclaredRoutes.ts"
import * as Route from "#src/edges/http/api/Route.ts"
import { anyQuery, ServedOn, TakesQuery } from "#src/edges/http/api/RouteAnnotations.ts"
import { authorize, resumeAuthorization } from "./Authorize.ts"

const routes = [authorize, resumeAuthorization] as const

export class AuthorizeApi extends HttpApiGroup.make("authorize")
  .add(...Route.endpointsOf(routes))
  .annotate(ServedOn, ["mcp"])
  .annotate(TakesQuery, anyQuery)
  .annotate(OpenApi.Title, "Authorization")
  .annotate(OpenApi.Description, "Where clients send browsers.") {}

export const layer = DeclaredRoutes.layer(DeclaredRoutes.everybody, routes)
