/** The list routes of the catalog: pages of what is there, newest first. */
import { Effect, Result } from "effect"
import type { HttpServerRequest } from "effect/http/HttpServerRequest"
import { CatalogContents, type Contents } from "#src/features/catalog/CatalogContents.ts"
import type { Found } from "#src/features/catalog/search/SearchIndex.ts"
import * as Refusal from "#src/edges/http/Refusal.ts"
import * as PageQuery from "#src/edges/http/requests/PageQuery.ts"
import * as Parsed from "#src/edges/http/requests/Parsed.ts"
import type { CacheControl, PublicAnswer } from "./PublicAnswers.ts"
import * as RankedPage from "./RankedPage.ts"

export interface ListCall<Query> {
  readonly query: Query & PageQuery.PageQuery
  readonly request: HttpServerRequest
}

interface Options<Query, Filter, A> {
  readonly answer: PublicAnswer
  readonly cacheControl: CacheControl
  readonly filter: (query: Query) => Parsed.Parsed<Filter>
  /** In order. */
  readonly find: (contents: Contents, filter: Filter) => ReadonlyArray<Found<A>>
  readonly text: (item: A) => string
}

export const make = <Query, Filter, A>({
  answer,
  cacheControl,
  filter,
  find,
  text
}: Options<Query, Filter, A>) =>
  Effect.map(CatalogContents, (catalog) =>
    Effect.fnUntraced(function* ({ query, request }: ListCall<Query>) {
      const parts = { filter: filter(query), asked: PageQuery.parse(query, RankedPage.paging) }
      const parsed = Result.all(parts)
      if (Result.isFailure(parsed)) return yield* Refusal.invalid(Parsed.issues(parts))
      const found = find(yield* catalog.current, parsed.success.filter)
      return yield* answer(request, RankedPage.text(found, parsed.success.asked, text), cacheControl)
    })
  )
