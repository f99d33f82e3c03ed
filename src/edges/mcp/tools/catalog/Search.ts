/** `search`: models and wrappers by words. */
import { Effect, Schema } from "effect"
import * as Tool from "effect/ai/Tool"
import { CatalogContents, type Listed } from "#src/features/catalog/CatalogContents.ts"
import { shownOf } from "#src/features/catalog/CatalogLists.ts"
import { CatalogSearch } from "#src/features/catalog/CatalogSearch.ts"
import { bestFirst, type Found } from "#src/features/catalog/search/SearchIndex.ts"
import { mostPerPage } from "#src/edges/http/requests/PageQuery.ts"
import * as Arguments from "../Arguments.ts"
import * as ModelSummary from "../ModelSummary.ts"
import * as ToolTraits from "../ToolTraits.ts"

const usualLimit = 10

export const tool = Tool.make("search", {
  description:
    "Finds models and wrappers by words in their names, tags and descriptions, best first; one wrong letter in a word does not matter. Start here when the user describes a task or half remembers a name. It searches what can be run, not the web and not earlier requests (`list_my_requests`). Next: `get_model` or `get_wrapper` with a modelEndpoint that was found.",
  parameters: Schema.Struct({
    query: Arguments.query,
    limit: Arguments.optional(
      Arguments.count(mostPerPage).annotate({
        description: "The most models and the most wrappers to return.",
        default: usualLimit,
        examples: [5]
      })
    )
  }),
  success: Schema.Struct({
    models: Schema.Array(ModelSummary.ModelSummary).annotate({ description: "Best first." }),
    totalModels: Schema.Finite.annotate({ description: "All that match." }),
    wrappers: Schema.Array(ModelSummary.WrapperSummary).annotate({ description: "Best first." }),
    totalWrappers: Schema.Finite.annotate({ description: "All that match." }),
    hint: Schema.String.annotate({ description: "What to do next." })
  })
})
  .annotate(Tool.Title, "Search models and wrappers")
  .annotateMerge(ToolTraits.reading)

const nothing = "Nothing matches. Try fewer or more general words, or call `list_models` with a category."

const hintOf = ({ item }: Found<Listed>): string => {
  const next = item.kind === "model" ? "get_model" : "get_wrapper"
  return `Closest is \`${shownOf(item).endpoint}\`: call \`${next}\` with it, or with another one that fits better, before \`run_model\`.`
}

export const make = Effect.gen(function* () {
  const catalog = yield* CatalogContents
  const search = yield* CatalogSearch
  return Effect.fnUntraced(function* ({ limit = usualLimit, query }: Tool.Parameters<typeof tool>) {
    const contents = yield* catalog.current
    const models = search.models(contents, query)
    const wrappers = search.wrappers(contents, query)
    const [best] = [...models.slice(0, 1), ...wrappers.slice(0, 1)].sort(bestFirst)
    return {
      models: models.slice(0, limit).map(({ item }) => ModelSummary.ofModel(item)),
      totalModels: models.length,
      wrappers: wrappers.slice(0, limit).map(({ item }) => ModelSummary.ofWrapper(item)),
      totalWrappers: wrappers.length,
      hint: best === undefined ? nothing : hintOf(best)
    }
  })
})
