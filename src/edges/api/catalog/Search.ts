/** `GET /search`: models, wrappers and collections (decisions, "Platform routes"). */
import { Effect } from "effect"
import { HttpApiEndpoint, OpenApi } from "effect/http-api"
import { CatalogContents } from "#src/features/catalog/CatalogContents.ts"
import { CatalogSearch, longestQuery } from "#src/features/catalog/CatalogSearch.ts"
import type { Found } from "#src/features/catalog/search/SearchIndex.ts"
import * as CollectionView from "#src/features/catalog/views/CollectionView.ts"
import * as ListParameters from "#src/edges/http/api/ListParameters.ts"
import { answers, conditional, errors } from "#src/edges/http/api/PublicResponses.ts"
import * as Route from "#src/edges/http/api/Route.ts"
import * as ErrorAnswer from "#src/edges/http/ErrorAnswer.ts"
import * as Parsed from "#src/edges/http/requests/Parsed.ts"
import * as Collections from "./Collections.ts"
import * as ListingFilter from "./ListingFilter.ts"
import { moving, PublicAnswers } from "./PublicAnswers.ts"
import * as PublicList from "./PublicList.ts"

const endpoint = HttpApiEndpoint.get("searchCatalog", "/search", {
  query: {
    query: ListParameters.text("Words, in any order. Required.", { minLength: 1, maxLength: longestQuery }),
    limit: ListParameters.text("The most items of each kind.", ListParameters.limitForm)
  },
  headers: conditional,
  success: answers(CollectionView.SearchBody),
  error: errors
})
  .annotate(OpenApi.Summary, "Search models, wrappers and collections")
  .annotate(
    OpenApi.Description,
    "By name, tags, category and description. Matches beginnings and parts of words, and words of four letters and more with one wrong, missing, added or swapped letter. Returns items with all words; if there are none, items with the most words."
  )

const parseQuery = (text: string | undefined): Parsed.Parsed<string> =>
  text === undefined || text.trim() === ""
    ? Parsed.invalid(Parsed.issue(["query"], "required", "must be given"))
    : ListingFilter.parseText("query", text)

export const searchCatalog = Route.make(
  endpoint,
  Effect.all({ catalog: CatalogContents, search: CatalogSearch, answers: PublicAnswers }),
  function* ({ answers, catalog, search }, { query, request }) {
    const parts = { text: parseQuery(query.query), page: PublicList.paging.parse({ limit: query.limit }) }
    const { page, text } = yield* ErrorAnswer.orInvalid(Parsed.all(parts))
    const contents = yield* catalog.current
    const best = <A>(found: ReadonlyArray<Found<A>>, textOf: (item: A) => string): string =>
      `[${found
        .slice(0, page.limit)
        .map(({ item }) => textOf(item))
        .join(",")}]`
    const members = [
      `"query":${JSON.stringify(text)}`,
      `"models":${best(search.models(contents, text), answers.listing)}`,
      `"wrappers":${best(search.wrappers(contents, text), answers.listing)}`,
      `"collections":${best(search.collections(contents, text), Collections.textOf)}`
    ]
    return yield* answers.answer(request, `{${members.join(",")}}`, moving)
  }
)
