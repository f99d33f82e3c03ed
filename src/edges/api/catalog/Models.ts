/** `GET /models`, one of them, and its schemas (decisions, "Platform routes"). */
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

const list = HttpApiEndpoint.get("listModels", "/models", {
  query: ListingFilter.query,
  headers: conditional,
  success: answers(ListingView.ModelsBody),
  error: errors
})
  .annotate(OpenApi.Summary, "List models")
  .annotate(OpenApi.Description, ListingFilter.order)

export const listModels = Route.prepared(
  list,
  Effect.gen(function* () {
    const { models } = yield* CatalogLists.make
    const { listing } = yield* PublicAnswers
    return yield* PublicList.serve({
      cacheControl: moving,
      filter: ListingFilter.parse,
      find: models,
      text: listing
    })
  })
)

const ofModel = { params: ModelParameters.ofModel, headers: conditional, error: ofOne }

const get = HttpApiEndpoint.get("getModel", "/models/:ownerName/:modelName", {
  ...ofModel,
  success: answers(ListingView.ListedBody)
})
  .annotate(OpenApi.Summary, "One model")
  .annotate(OpenApi.Description, "Or a wrapper, which runs like a model: see `kind`.")

/** Finds wrappers, too: they run like models. */
const find = Effect.fnUntraced(function* (
  catalog: CatalogContents["Service"],
  params: Route.Call<typeof get>["params"]
) {
  const { byEndpoint } = yield* catalog.current
  const listed = byEndpoint.get(endpointOf(params))
  return listed ?? (yield* ErrorAnswer.unknownModel)
})

const schemaText = ItemTexts.make(ListingView.schemas)

export const getModel = Route.make(get, ofItems, function* ({ answers, catalog }, { params, request }) {
  const listed = yield* find(catalog, params)
  return yield* answers.answer(request, answers.listing(listed), moving)
})

const schema = HttpApiEndpoint.get("getModelSchema", "/models/:ownerName/:modelName/schema", {
  ...ofModel,
  success: answers(ListingView.SchemaBody)
})
  .annotate(OpenApi.Summary, "Its input and output")
  .annotate(OpenApi.Description, "For a wrapper: its own input, and the output of its base model.")

export const getModelSchema = Route.make(
  schema,
  ofItems,
  function* ({ answers, catalog }, { params, request }) {
    return yield* answers.answer(request, schemaText(yield* find(catalog, params)), steady)
  }
)
