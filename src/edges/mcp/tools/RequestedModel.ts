/** Finds the model or wrapper that a tool call names. */
import { Effect, Schema } from "effect"
import { ModelEndpoint } from "#domain/ModelEndpoint.ts"
import { CatalogContents, type Contents, type Listed } from "#src/features/catalog/CatalogContents.ts"
import * as CatalogLists from "#src/features/catalog/CatalogLists.ts"
import { CatalogSearch } from "#src/features/catalog/CatalogSearch.ts"
import { bestFirst } from "#src/features/catalog/search/SearchIndex.ts"
import { nearest } from "#src/kernel/text/EditDistance.ts"
import { ToolError } from "../ToolError.ts"

const mostNamed = 3

const isEndpoint = Schema.is(ModelEndpoint)

/** The message for an unknown name: similar names, and how to find others. Never repeats the requested name. */
export const unknownModel = Effect.map(CatalogSearch, (search) => (contents: Contents, endpoint: string) => {
  const misspelled = nearest(endpoint, [...contents.byEndpoint.keys()])
  const found = [
    ...search.models(contents, endpoint).slice(0, mostNamed),
    ...search.wrappers(contents, endpoint).slice(0, mostNamed)
  ]
  const names = found.sort(bestFirst).map(({ item }) => CatalogLists.shownOf(item).endpoint)
  const named = [...new Set(misspelled === undefined ? names : [misspelled, ...names])].slice(0, mostNamed)
  const sentences = [
    isEndpoint(endpoint)
      ? "There is no model or wrapper with this modelEndpoint."
      : "This modelEndpoint is not of the form `owner/name` in lower case.",
    ...(named.length === 0
      ? []
      : [`Closest in the catalog: ${named.map((name) => `\`${name}\``).join(", ")}.`]),
    "Call `search` with a few words about the task, or `list_models`, to get exact names."
  ]
  return new ToolError({ message: sentences.join(" ") })
})

export const make = Effect.gen(function* () {
  const catalog = yield* CatalogContents
  const unknown = yield* unknownModel
  return Effect.fnUntraced(function* (endpoint: string): Effect.fn.Return<Listed, ToolError> {
    const contents = yield* catalog.current
    return contents.byEndpoint.get(endpoint) ?? (yield* unknown(contents, endpoint))
  })
})
