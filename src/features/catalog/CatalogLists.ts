/** Filters and orders the lists of models and wrappers: newest first, or best first in a search. */
import { Effect } from "effect"
import type { Category } from "#domain/catalog/Model.ts"
import type { Contents, Listed, ListedModel, ListedWrapper } from "./CatalogContents.ts"
import { CatalogSearch } from "./CatalogSearch.ts"
import { newestFirst } from "./NewestFirst.ts"
import type { Found } from "./search/SearchIndex.ts"

export interface ListFilter {
  /** Not empty; `null`: everything. */
  readonly search: string | null
  readonly category?: Category | undefined
  readonly status?: Listed["status"] | undefined
}

/** The shared fields of a model and a wrapper. */
export const shownOf = (listed: Listed) => (listed.kind === "model" ? listed.model : listed.wrapper)

const chosen =
  <A extends Listed>(
    all: (contents: Contents) => ReadonlyArray<Found<A>>,
    search: (contents: Contents, query: string) => ReadonlyArray<Found<A>>
  ) =>
  (contents: Contents, { category, search: text, status }: ListFilter): ReadonlyArray<Found<A>> =>
    (text === null ? all(contents) : search(contents, text)).filter(
      ({ item }) =>
        (category === undefined || shownOf(item).category === category) &&
        (status === undefined || item.status === status)
    )

export const make = Effect.map(CatalogSearch, (search) => {
  const models = newestFirst<ListedModel>(({ model }) => model.endpoint)
  const wrappers = newestFirst<ListedWrapper>(({ wrapper }) => wrapper.endpoint)
  return {
    models: chosen((contents) => models(contents.models), search.models),
    wrappers: chosen((contents) => wrappers(contents.wrappers), search.wrappers)
  }
})
