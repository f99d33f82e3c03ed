/** What can be run (decisions, "Platform routes"). */
import { Layer } from "effect"
import { HttpApiGroup, OpenApi } from "effect/http-api"
import * as DeclaredRoutes from "#src/edges/http/api/DeclaredRoutes.ts"
import * as PublicReads from "#src/edges/http/api/PublicReads.ts"
import * as Route from "#src/edges/http/api/Route.ts"
import { OpenToAnyOrigin, ServedOn } from "#src/edges/http/api/RouteAnnotations.ts"
import { getCollection, listCollections } from "./Collections.ts"
import { getModel, getModelSchema, listModels } from "./Models.ts"
import { PublicAnswers } from "./PublicAnswers.ts"
import { searchCatalog } from "./Search.ts"
import { getWrapper, getWrapperSchema, listWrappers } from "./Wrappers.ts"

const routes = [
  listModels,
  getModel,
  getModelSchema,
  listWrappers,
  getWrapper,
  getWrapperSchema,
  listCollections,
  getCollection,
  searchCatalog
] as const

export class CatalogApi extends HttpApiGroup.make("catalog")
  .add(...Route.endpointsOf(routes))
  .annotate(ServedOn, ["platform"])
  .annotate(OpenToAnyOrigin, true)
  .annotate(OpenApi.Title, "Catalog")
  .annotate(OpenApi.Description, "What can be run. Public: these routes need no key.") {}

export const layer = Layer.merge(
  DeclaredRoutes.layer(PublicReads.admit, routes),
  PublicReads.preflights(CatalogApi)
).pipe(Layer.provide(PublicAnswers.layer))
