/** The service's own state and description, without a key. */
import { HttpApiGroup, OpenApi } from "effect/http-api"
import * as DeclaredRoutes from "#src/edges/http/api/DeclaredRoutes.ts"
import * as Route from "#src/edges/http/api/Route.ts"
import { docs, docsScript } from "./Docs.ts"
import { health } from "./Health.ts"
import { metrics } from "./Metrics.ts"
import { openApi } from "./OpenApiDocument.ts"
import { root } from "./Root.ts"

const routes = [root, health, metrics, openApi, docs, docsScript] as const

export class SystemApi extends HttpApiGroup.make("system")
  .add(...Route.endpointsOf(routes))
  .annotate(OpenApi.Title, "System")
  .annotate(OpenApi.Description, "Health, metrics and description.") {}

export const layer = DeclaredRoutes.layer(DeclaredRoutes.everybody, routes)
