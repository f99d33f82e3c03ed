/** The list routes of the catalog: pages of items in memory, in the order of their ranks. A cursor is the rank of the last item. */
import { Effect } from "effect"
import type { HttpServerRequest } from "effect/http/HttpServerRequest"
import { CatalogContents, type Contents } from "#src/features/catalog/CatalogContents.ts"
import * as Rank from "#src/features/catalog/search/Rank.ts"
import type { Found } from "#src/features/catalog/search/SearchIndex.ts"
import * as ErrorAnswer from "#src/edges/http/ErrorAnswer.ts"
import type { PageRequest } from "#projections/Page.ts"
import * as PageQuery from "#src/edges/http/requests/PageQuery.ts"
import * as Parsed from "#src/edges/http/requests/Parsed.ts"
import { type CacheControl, PublicAnswers } from "./PublicAnswers.ts"

export const paging = PageQuery.make(Rank.Rank)

interface Options<Query, Filter, A> {
  readonly cacheControl: CacheControl
  readonly filter: (query: Query) => Parsed.Parsed<Filter>
  /** In order. */
  readonly find: (contents: Contents, filter: Filter) => ReadonlyArray<Found<A>>
  readonly text: (item: A) => string
}

/** For `Route.make`. */
export const serve = Effect.fnUntraced(function* <Query, Filter, A>({
  cacheControl,
  filter,
  find,
  text
}: Options<Query, Filter, A>) {
  const catalog = yield* CatalogContents
  const { answer } = yield* PublicAnswers

  return Effect.fnUntraced(function* ({
    query,
    request
  }: {
    readonly query: Query & PageQuery.PageQuery
    readonly request: HttpServerRequest
  }) {
    const parts = { filter: filter(query), page: paging.parse(query) }
    const parsed = yield* ErrorAnswer.orInvalid(Parsed.all(parts))
    const found = find(yield* catalog.current, parsed.filter)
    return yield* answer(request, bodyOf(found, parsed.page, text), cacheControl)
  })
})

/** The envelope of all lists, made of the texts of the items. */
const bodyOf = <A>(
  found: ReadonlyArray<Found<A>>,
  { after, limit, page }: PageRequest<Rank.Rank>,
  text: (item: A) => string
): string => {
  const begin = after === null ? (page - 1) * limit : beginAfter(found, after)
  const shown = found.slice(begin, begin + limit)
  const last = begin + limit < found.length ? shown.at(-1) : undefined
  const next = paging.nextOf(page, last?.rank() ?? null)
  const total = found.length
  const counts = JSON.stringify({ page, limit, total, totalPages: Math.ceil(total / limit) })
  const data = shown.map(({ item }) => text(item)).join(",")
  return `${counts.slice(0, -1)},"data":[${data}],"next":${JSON.stringify(next)}}`
}

const beginAfter = <A>(found: ReadonlyArray<Found<A>>, after: Rank.Rank): number => {
  const index = found.findIndex(({ rank }) => Rank.order(rank(), after) > 0)
  return index < 0 ? found.length : index
}
