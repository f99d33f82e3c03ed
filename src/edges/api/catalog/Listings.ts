/** `GET /models` and `GET /wrappers`, one of them, and its schemas (decisions, "Platform routes"). */
import { Effect } from "effect"
import type { HttpServerRequest } from "effect/http/HttpServerRequest"
import { CatalogContents } from "#src/features/catalog/CatalogContents.ts"
import * as CatalogLists from "#src/features/catalog/CatalogLists.ts"
import * as Refusal from "#src/edges/http/Refusal.ts"
import * as CatalogFilter from "./CatalogFilter.ts"
import { endpointOf, type EndpointParams } from "#src/edges/http/requests/EndpointParams.ts"
import * as ListingView from "#src/features/catalog/views/ListingView.ts"
import * as KeptTexts from "./KeptTexts.ts"
import * as PublicAnswers from "./PublicAnswers.ts"
import * as PublicList from "./PublicList.ts"

export interface ListedCall {
  readonly params: EndpointParams
  readonly request: HttpServerRequest
}

export const make = Effect.gen(function* () {
  const catalog = yield* CatalogContents
  const lists = yield* CatalogLists.make
  const answer = yield* PublicAnswers.make
  const text = yield* KeptTexts.listings
  const schemas = KeptTexts.keptTexts(ListingView.schemas)
  const list = { answer, cacheControl: PublicAnswers.moving, filter: CatalogFilter.parse, text } as const

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
    models: yield* PublicList.make({ ...list, find: lists.models }),
    wrappers: yield* PublicList.make({ ...list, find: lists.wrappers }),

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
