/** `GET /collections`, one of them with what is in it, and `GET /search` (decisions, "Platform routes"). */
import { Effect, Result } from "effect"
import type { HttpServerRequest } from "effect/http/HttpServerRequest"
import { CatalogContents, type ListedCollection } from "#src/features/catalog/CatalogContents.ts"
import { CatalogSearch } from "#src/features/catalog/CatalogSearch.ts"
import { newestFirst } from "#src/features/catalog/NewestFirst.ts"
import type { Found } from "#src/features/catalog/search/SearchIndex.ts"
import * as Refusal from "#src/edges/http/Refusal.ts"
import * as CatalogFilter from "./CatalogFilter.ts"
import * as PageQuery from "#src/edges/http/requests/PageQuery.ts"
import * as Parsed from "#src/edges/http/requests/Parsed.ts"
import * as CollectionView from "#src/features/catalog/views/CollectionView.ts"
import * as KeptTexts from "./KeptTexts.ts"
import * as PublicAnswers from "./PublicAnswers.ts"
import * as PublicList from "./PublicList.ts"
import * as RankedPage from "./RankedPage.ts"

export interface CollectionCall {
  readonly params: { readonly slug: string }
  readonly request: HttpServerRequest
}

export interface SearchCall {
  readonly query: { readonly query?: string | undefined; readonly limit?: string | undefined }
  readonly request: HttpServerRequest
}

const unknownCollection = Refusal.notFound("Collection")

export const make = Effect.gen(function* () {
  const catalog = yield* CatalogContents
  const search = yield* CatalogSearch
  const answer = yield* PublicAnswers.make
  const listing = yield* KeptTexts.listings
  const text = KeptTexts.keptTexts(CollectionView.record)
  const inOrder = newestFirst<ListedCollection>(({ collection }) => collection.slug)

  return {
    list: yield* PublicList.make({
      answer,
      cacheControl: PublicAnswers.steady,
      filter: () => Result.void,
      find: ({ collections }) => inOrder(collections),
      text
    }),

    get: Effect.fnUntraced(function* ({ params, request }: CollectionCall) {
      const { byEndpoint, collections } = yield* catalog.current
      const listed = collections.find(({ collection }) => collection.slug === params.slug)
      if (listed === undefined) return yield* unknownCollection
      const models = listed.collection.models.flatMap((endpoint) => byEndpoint.get(endpoint) ?? [])
      const body = `${text(listed).slice(0, -1)},"models":[${models.map(listing).join(",")}]}`
      return yield* answer(request, body, PublicAnswers.moving)
    }),

    /** `limit` is of each kind. */
    search: Effect.fnUntraced(function* ({ query, request }: SearchCall) {
      const parts = {
        text: CatalogFilter.parseQuery(query.query),
        asked: PageQuery.parse({ limit: query.limit }, RankedPage.paging)
      }
      const parsed = Result.all(parts)
      if (Result.isFailure(parsed)) return yield* Refusal.invalid(Parsed.issues(parts))
      const { asked, text: wanted } = parsed.success
      const contents = yield* catalog.current
      const best = <A>(found: ReadonlyArray<Found<A>>, textOf: (item: A) => string): string =>
        `[${found
          .slice(0, asked.limit)
          .map(({ item }) => textOf(item))
          .join(",")}]`
      const members = [
        `"query":${JSON.stringify(wanted)}`,
        `"models":${best(search.models(contents, wanted), listing)}`,
        `"wrappers":${best(search.wrappers(contents, wanted), listing)}`,
        `"collections":${best(search.collections(contents, wanted), text)}`
      ]
      return yield* answer(request, `{${members.join(",")}}`, PublicAnswers.moving)
    })
  }
})
