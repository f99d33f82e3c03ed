/** `GET /models` and `GET /wrappers`, one of them, and its schemas (decisions, "Platform routes"). */
import { Effect } from "effect"
import type { HttpServerRequest } from "effect/http/HttpServerRequest"
import { CatalogContents, type Contents, type Listed } from "#src/catalog/CatalogContents.ts"
import { CatalogSearch } from "#src/catalog/CatalogSearch.ts"
import type { Found } from "#src/catalog/search/SearchIndex.ts"
import * as Refusal from "../../Refusal.ts"
import * as CatalogFilter from "../../requests/CatalogFilter.ts"
import { endpointOf, type EndpointParams } from "../../requests/EndpointParams.ts"
import * as ListingView from "../../views/ListingView.ts"
import * as KeptTexts from "./KeptTexts.ts"
import * as PublicAnswers from "./PublicAnswers.ts"
import * as PublicList from "./PublicList.ts"
import * as RankedPage from "./RankedPage.ts"

export interface ListedCall {
  readonly params: EndpointParams
  readonly request: HttpServerRequest
}

const shownOf = (listed: Listed) => ListingView.partsOf(listed).shown

const chosen =
  <A extends Listed>(
    all: (contents: Contents) => ReadonlyArray<Found<A>>,
    search: (contents: Contents, query: string) => ReadonlyArray<Found<A>>
  ) =>
  (contents: Contents, { category, search: text, status }: CatalogFilter.CatalogFilter) =>
    (text === null ? all(contents) : search(contents, text)).filter(
      ({ item }) =>
        (category === undefined || shownOf(item).category === category) &&
        (status === undefined || item.status === status)
    )

export const make = Effect.gen(function* () {
  const catalog = yield* CatalogContents
  const search = yield* CatalogSearch
  const answer = yield* PublicAnswers.make
  const text = yield* KeptTexts.listings
  const schemas = KeptTexts.keptTexts(ListingView.schemas)
  const list = { answer, cacheControl: PublicAnswers.moving, filter: CatalogFilter.parse, text } as const
  const inOrder = {
    models: RankedPage.newestFirst<Contents["models"][number]>(({ model }) => model.endpoint),
    wrappers: RankedPage.newestFirst<Contents["wrappers"][number]>(({ wrapper }) => wrapper.endpoint)
  }

  const find = Effect.fnUntraced(function* (params: EndpointParams) {
    const { byEndpoint } = yield* catalog.current
    const listed = byEndpoint.get(endpointOf(params))
    return listed ?? (yield* Refusal.unknownModel)
  })

  const findWrapper = Effect.fnUntraced(function* (params: EndpointParams) {
    const { byEndpoint } = yield* catalog.current
    const listed = byEndpoint.get(endpointOf(params))
    return listed?.kind === "wrapper" ? listed : yield* unknownWrapper
  })

  return {
    models: yield* PublicList.make({
      ...list,
      find: chosen((contents) => inOrder.models(contents.models), search.models)
    }),
    wrappers: yield* PublicList.make({
      ...list,
      find: chosen((contents) => inOrder.wrappers(contents.wrappers), search.wrappers)
    }),

    /** A wrapper, too: it runs like a model. */
    model: Effect.fnUntraced(function* ({ params, request }: ListedCall) {
      return yield* answer(request, text(yield* find(params)), PublicAnswers.moving)
    }),

    wrapper: Effect.fnUntraced(function* ({ params, request }: ListedCall) {
      return yield* answer(request, text(yield* findWrapper(params)), PublicAnswers.moving)
    }),

    schema: Effect.fnUntraced(function* ({ params, request }: ListedCall) {
      return yield* answer(request, schemas(yield* find(params)), PublicAnswers.steady)
    }),

    wrapperSchema: Effect.fnUntraced(function* ({ params, request }: ListedCall) {
      return yield* answer(request, schemas(yield* findWrapper(params)), PublicAnswers.steady)
    })
  }
})

const unknownWrapper = Refusal.notFound("Wrapper")
