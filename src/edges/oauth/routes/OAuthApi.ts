/** The authorization server's endpoints for clients (contract, "Assistant-tool server"), also for pages of any origin. */
import { Layer } from "effect"
import { HttpApiGroup, OpenApi } from "effect/http-api"
import * as DeclaredRoutes from "#src/edges/http/api/DeclaredRoutes.ts"
import * as PublicReads from "#src/edges/http/api/PublicReads.ts"
import * as Route from "#src/edges/http/api/Route.ts"
import { anyQuery, OpenToAnyOrigin, ServedOn, TakesQuery } from "#src/edges/http/api/RouteAnnotations.ts"
import { getToken, registerClient, revokeToken } from "./ClientCalls.ts"
import { metadataRoutes } from "./MetadataRoutes.ts"

const routes = [...metadataRoutes, registerClient, getToken, revokeToken] as const

export class OAuthApi extends HttpApiGroup.make("oauth")
  .add(...Route.endpointsOf(routes))
  .annotate(ServedOn, ["mcp"])
  .annotate(TakesQuery, anyQuery)
  .annotate(OpenToAnyOrigin, true)
  .annotate(OpenApi.Title, "OAuth")
  .annotate(
    OpenApi.Description,
    "How assistants get access to the tool server: OAuth 2.1 with PKCE, for the scope `mcp`."
  ) {}

export const layer = Layer.merge(
  DeclaredRoutes.layer(PublicReads.admit, routes),
  PublicReads.preflights(OAuthApi)
)
