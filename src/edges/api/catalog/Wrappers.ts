/** `GET /wrappers`, one of them, and its schemas (decisions, "Platform routes"). */
import { Effect } from "effect"
import { HttpApiEndpoint, OpenApi } from "effect/http-api"
import type { CatalogContents } from "#src/features/catalog/CatalogContents.ts"
import * as CatalogLists from "#src/features/catalog/CatalogLists.ts"
import * as ListingView from "#src/features/catalog/views/ListingView.ts"
import * as ModelParameters from "#src/edges/http/api/ModelParameters.ts"
import { answers, conditional, errors, ofOne } from "#src/edges/http/api/PublicResponses.ts"
import * as Route from "#src/edges/http/api/Route.ts"
import * as ErrorAnswer from "#src/edges/http/ErrorAnswer.ts"
import { endpointOf } from "#src/edges/http/requests/EndpointParams.ts"
import * as ItemTexts from "./ItemTexts.ts"
import * as ListingFilter from "./ListingFilter.ts"
import { moving, ofItems, PublicAnswers, steady } from "./PublicAnswers.ts"
import * as PublicList from "./PublicList.ts"

const list = HttpApiEndpoint.get("listWrappers", "/wrappers", {
  query: ListingFilter.query,
  headers: conditional,
  success: answers(ListingView.WrappersBody),
  error: errors
})
  .annotate(OpenApi.Summary, "List wrappers")
  .annotate(
    OpenApi.Description,
    `Products on models: a template makes the model's input out of a simpler one. ${ListingFilter.order}`
  )

export const listWrappers = Route.prepared(
  list,
  Effect.gen(function* () {
    const { wrappers } = yield* CatalogLists.make
    const { listing } = yield* PublicAnswers
    return yield* PublicList.serve({
      cacheControl: moving,
      filter: ListingFilter.parse,
      find: wrappers,
      text: listing
    })
  })
)

const ofWrapper = { params: ModelParameters.ofWrapper, headers: conditional, error: ofOne }

const get = HttpApiEndpoint.get("getWrapper", "/wrappers/:ownerName/:modelName", {
  ...ofWrapper,
  success: answers(ListingView.WrapperBody)
})
  .annotate(OpenApi.Summary, "One wrapper")
  .annotate(
    OpenApi.Description,
    "With the model that runs, and the template. Submit to it at `POST /{owner}/{wrapper}`."
  )

const unknownWrapper = ErrorAnswer.notFound("Wrapper")

const find = Effect.fnUntraced(function* (
  catalog: CatalogContents["Service"],
  params: Route.Call<typeof get>["params"]
) {
  const { byEndpoint } = yield* catalog.current
  const listed = byEndpoint.get(endpointOf(params))
  return listed?.kind === "wrapper" ? listed : yield* unknownWrapper
})

const schemaText = ItemTexts.make(ListingView.schemas)

export const getWrapper = Route.make(get, ofItems, function* ({ answers, catalog }, { params, request }) {
  const listed = yield* find(catalog, params)
  return yield* answers.answer(request, answers.listing(listed), moving)
})

const schema = HttpApiEndpoint.get("getWrapperSchema", "/wrappers/:ownerName/:modelName/schema", {
  ...ofWrapper,
  success: answers(ListingView.SchemaBody)
})
  .annotate(OpenApi.Summary, "A wrapper's input and output")
  .annotate(OpenApi.Description, "The same as `/models/{owner}/{wrapper}/schema`.")

export const getWrapperSchema = Route.make(
  schema,
  ofItems,
  function* ({ answers, catalog }, { params, request }) {
    return yield* answers.answer(request, schemaText(yield* find(catalog, params)), steady)
  }
)
