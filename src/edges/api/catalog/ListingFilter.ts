/** The query parameters of the lists of models and of wrappers (decisions, "Platform routes"). */
import { Result } from "effect"
import { Category } from "#domain/catalog/Model.ts"
import type { ListFilter } from "#src/features/catalog/CatalogLists.ts"
import { longestQuery } from "#src/features/catalog/CatalogSearch.ts"
import { statuses } from "#src/features/catalog/views/ListingView.ts"
import { isWithin } from "#src/kernel/text/TextLength.ts"
import * as ListParameters from "#src/edges/http/api/ListParameters.ts"
import * as Parsed from "#src/edges/http/requests/Parsed.ts"
import * as QueryFields from "#src/edges/http/requests/QueryFields.ts"

export const query = {
  search: ListParameters.text("Only items with these words, best first; one wrong letter is forgiven.", {
    maxLength: longestQuery
  }),
  category: ListParameters.text("Only this category.", { enum: [...Category.literals] }),
  status: ListParameters.text("Only this status.", { enum: [...statuses] }),
  ...ListParameters.page
}

export const order =
  "Newest first, or best first when searched. Pages by `cursor` neither miss nor repeat an item, even while others are published."

interface ListingQuery {
  readonly search?: string | undefined
  readonly category?: string | undefined
  readonly status?: string | undefined
}

export const parse = (query: ListingQuery): Parsed.Parsed<ListFilter> =>
  Result.map(
    Parsed.all({
      search: parseText("search", query.search ?? ""),
      category: QueryFields.oneOf("category", Category.literals, query.category),
      status: QueryFields.oneOf("status", statuses, query.status)
    }),
    ({ search, ...rest }) => ({ ...rest, search: search.trim() === "" ? null : search })
  )

/** Words to search for. */
export const parseText = (parameter: string, text: string): Parsed.Parsed<string> =>
  isWithin(text, { maxLength: longestQuery })
    ? Result.succeed(text)
    : Parsed.invalid(
        Parsed.issue([parameter], "maxLength", `must not be longer than ${longestQuery} characters`)
      )
