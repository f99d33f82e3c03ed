/** `GET /wrappers`, one of them, and its schemas (decisions, "Platform routes"). */
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

const find = Effect.map(CatalogContents, (catalog) =>
  Effect.fnUntraced(function* ({ params }: Route.Call<typeof get>) {
    const { byEndpoint } = yield* catalog.current
    const listed = byEndpoint.get(endpointOf(params))
    return listed?.kind === "wrapper" ? listed : yield* unknownWrapper
  })
)

export const getWrapper = Route.prepared(
  get,
  Effect.gen(function* () {
    const findWrapper = yield* find
    const { answer, listing } = yield* PublicAnswers
    return (call: Route.Call<typeof get>) =>
      Effect.flatMap(findWrapper(call), (listed) => answer(call.request, listing(listed), moving))
  })
)

const schema = HttpApiEndpoint.get("getWrapperSchema", "/wrappers/:ownerName/:modelName/schema", {
  ...ofWrapper,
  success: answers(ListingView.SchemaBody)
})
  .annotate(OpenApi.Summary, "A wrapper's input and output")
  .annotate(OpenApi.Description, "The same as `/models/{owner}/{wrapper}/schema`.")

export const getWrapperSchema = Route.prepared(
  schema,
  Effect.gen(function* () {
    const findWrapper = yield* find
    const { answer } = yield* PublicAnswers
    const text = ItemTexts.make(ListingView.schemas)
    return (call: Route.Call<typeof schema>) =>
      Effect.flatMap(findWrapper(call), (listed) => answer(call.request, text(listed), steady))
  })
)
