/** The query parameters that choose among models or wrappers (decisions, "Platform routes"). */
import { Result } from "effect"
import { Category } from "#domain/catalog/Model.ts"
import type { ListFilter } from "#src/features/catalog/CatalogLists.ts"
import { longestQuery } from "#src/features/catalog/CatalogSearch.ts"
import { isWithin } from "#src/kernel/text/TextLength.ts"
import { invalid, issue, issues, type Parsed } from "#src/edges/http/requests/Parsed.ts"
import * as QueryFields from "#src/edges/http/requests/QueryFields.ts"
import { statuses } from "#src/features/catalog/views/ListingView.ts"

export interface CatalogQuery {
  readonly search?: string | undefined
  readonly category?: string | undefined
  readonly status?: string | undefined
}

export const parse = (query: CatalogQuery): Parsed<ListFilter> => {
  const parts = {
    search: parseText("search", query.search ?? ""),
    category: QueryFields.oneOf("category", Category.literals, query.category),
    status: QueryFields.oneOf("status", statuses, query.status)
  }
  return Result.all(parts).pipe(
    Result.map(({ search, ...rest }) => ({ ...rest, search: search.trim() === "" ? null : search })),
    Result.mapError(() => issues(parts))
  )
}

const parseText = (parameter: string, text: string): Parsed<string> =>
  isWithin(text, { maxLength: longestQuery })
    ? Result.succeed(text)
    : invalid(issue([parameter], "maxLength", `must not be longer than ${longestQuery} characters`))

/** What is searched for in all of the catalog: it has to be something. */
export const parseQuery = (text: string | undefined): Parsed<string> =>
  text === undefined || text.trim() === ""
    ? invalid(issue(["query"], "required", "must be given"))
    : parseText("query", text)
