/** `GET /models`, one of them, and its schemas (decisions, "Platform routes"). */
import { Effect } from "effect"
import { HttpApiEndpoint, OpenApi } from "effect/http-api"
import { CatalogContents } from "#src/features/catalog/CatalogContents.ts"
import * as CatalogLists from "#src/features/catalog/CatalogLists.ts"
import * as ListingView from "#src/features/catalog/views/ListingView.ts"
import * as ModelParameters from "#src/edges/http/api/ModelParameters.ts"
import { answers, conditional, errors, ofOne } from "#src/edges/http/api/PublicResponses.ts"
import * as Route from "#src/edges/http/api/Route.ts"
import * as ErrorAnswer from "#src/edges/http/ErrorAnswer.ts"
import { endpointOf } from "#src/edges/http/requests/EndpointParams.ts"
import * as ItemTexts from "./ItemTexts.ts"
import * as ListingFilter from "./ListingFilter.ts"
import { moving, PublicAnswers, steady } from "./PublicAnswers.ts"
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
const find = Effect.map(CatalogContents, (catalog) =>
  Effect.fnUntraced(function* ({ params }: Route.Call<typeof get>) {
    const { byEndpoint } = yield* catalog.current
    const listed = byEndpoint.get(endpointOf(params))
    return listed ?? (yield* ErrorAnswer.unknownModel)
  })
)

export const getModel = Route.prepared(
  get,
  Effect.gen(function* () {
    const findModel = yield* find
    const { answer, listing } = yield* PublicAnswers
    return (call: Route.Call<typeof get>) =>
      Effect.flatMap(findModel(call), (listed) => answer(call.request, listing(listed), moving))
  })
)

const schema = HttpApiEndpoint.get("getModelSchema", "/models/:ownerName/:modelName/schema", {
  ...ofModel,
  success: answers(ListingView.SchemaBody)
})
  .annotate(OpenApi.Summary, "Its input and output")
  .annotate(OpenApi.Description, "For a wrapper: its own input, and the output of its base model.")

export const getModelSchema = Route.prepared(
  schema,
  Effect.gen(function* () {
    const findModel = yield* find
    const { answer } = yield* PublicAnswers
    const text = ItemTexts.make(ListingView.schemas)
    return (call: Route.Call<typeof schema>) =>
      Effect.flatMap(findModel(call), (listed) => answer(call.request, text(listed), steady))
  })
)
