/** What runs cost (decisions, "Platform routes"). */
import { Layer } from "effect"
import { HttpApiGroup, OpenApi } from "effect/http-api"
import * as DeclaredRoutes from "#src/edges/http/api/DeclaredRoutes.ts"
import * as PublicReads from "#src/edges/http/api/PublicReads.ts"
import * as Route from "#src/edges/http/api/Route.ts"
import { OpenToAnyOrigin, ServedOn } from "#src/edges/http/api/RouteAnnotations.ts"
import { estimatePrice } from "./EstimatePrice.ts"
import { listPrices } from "./ListPrices.ts"
import { PublicAnswers } from "./PublicAnswers.ts"

const routes = [listPrices, estimatePrice] as const

export class PricingApi extends HttpApiGroup.make("pricing")
  .add(...Route.endpointsOf(routes))
  .annotate(ServedOn, ["platform"])
  .annotate(OpenToAnyOrigin, true)
  .annotateMerge(
    OpenApi.annotations({
      title: "Pricing",
      description: "What runs cost. Public: these routes need no key."
    })
  ) {}

export const layer = Layer.merge(
  DeclaredRoutes.layer(PublicReads.admit, routes),
  PublicReads.preflights(PricingApi)
).pipe(Layer.provide(PublicAnswers.layer))
