/** What runs cost (decisions, "Platform routes"). */
import { Layer } from "effect"
import { HttpApiGroup, OpenApi, HttpApiEndpoint } from "effect/http-api"
import * as DeclaredRoutes from "#src/edges/http/api/DeclaredRoutes.ts"
import * as PublicReads from "#src/edges/http/api/PublicReads.ts"
import * as Route from "#src/edges/http/api/Route.ts"
import { OpenToAnyOrigin, ServedOn } from "#src/edges/http/api/RouteAnnotations.ts"
import type { Contents, Listed } from "#src/features/catalog/CatalogContents.ts"
import { newestFirst } from "#src/features/catalog/NewestFirst.ts"
import * as ListingView from "#src/features/catalog/views/ListingView.ts"
import * as PriceView from "#src/features/catalog/views/PriceView.ts"
import { memoize } from "#src/kernel/async/Memoize.ts"
import * as ListParameters from "#src/edges/http/api/ListParameters.ts"
import { answers, conditional, errors } from "#src/edges/http/api/PublicResponses.ts"
import * as QueryFields from "#src/edges/http/requests/QueryFields.ts"
import { estimatePrice } from "./EstimatePrice.ts"
import { PublicAnswers, steady } from "./PublicAnswers.ts"
import * as ItemTexts from "./ItemTexts.ts"
import * as PublicList from "./PublicList.ts"

/** `GET /pricing`: the prices of models and wrappers (decisions, "Platform routes"). */
const endpoint = HttpApiEndpoint.get("listPrices", "/pricing", {
  query: {
    modelEndpoint: ListParameters.text(
      "Only this model or wrapper: `owner/name`. The list is empty when it does not exist."
    ),
    ...ListParameters.page
  },
  headers: conditional,
  success: answers(PriceView.ListBody),
  error: errors
})
  .annotate(OpenApi.Summary, "List prices")
  .annotate(
    OpenApi.Description,
    "Of models and wrappers, newest first. A wrapper costs what its base model does."
  )

const inOrder = newestFirst((listed: Listed) => ListingView.partsOf(listed).shown.endpoint)
const allOf = memoize(({ models, wrappers }: Contents) => inOrder([...models, ...wrappers]))

const listPrices = Route.prepared(
  endpoint,
  PublicList.serve({
    cacheControl: steady,
    filter: ({ modelEndpoint }: Route.Call<typeof endpoint>["query"]) =>
      QueryFields.modelEndpoint(modelEndpoint),
    find: (contents, endpoint) => {
      if (endpoint === undefined) return allOf(contents)
      const listed = contents.byEndpoint.get(endpoint)
      return listed === undefined ? [] : inOrder([listed])
    },
    text: ItemTexts.make(PriceView.record)
  })
)

const routes = [listPrices, estimatePrice] as const

export class PricingApi extends HttpApiGroup.make("pricing")
  .add(...Route.endpointsOf(routes))
  .annotate(ServedOn, ["platform"])
  .annotate(OpenToAnyOrigin, true)
  .annotate(OpenApi.Title, "Pricing")
  .annotate(OpenApi.Description, "What runs cost. Public: these routes need no key.") {}

export const layer = Layer.merge(
  DeclaredRoutes.layer(PublicReads.admit, routes),
  PublicReads.preflights(PricingApi)
).pipe(Layer.provide(PublicAnswers.layer))
