/** `list_models`: all models in pages, newest first, or with a search best first. */
import { Effect, Schema } from "effect"
import * as Tool from "effect/ai/Tool"
import { CatalogContents } from "#src/features/catalog/CatalogContents.ts"
import * as CatalogLists from "#src/features/catalog/CatalogLists.ts"
import * as Arguments from "../Arguments.ts"
import * as ModelSummary from "../ModelSummary.ts"
import * as ToolPage from "../ToolPage.ts"
import * as ToolTraits from "../ToolTraits.ts"

export const tool = Tool.make("list_models", {
  description:
    "Lists the public models in pages, newest first, each with what it does, its price and how long a run usually takes. Use it to browse or to see all of a category; for a task in words use `search`, for a short curated choice `recommended_models`. Deprecated models are listed, too: see `status`. Next: `get_model` with a modelEndpoint of the list.",
  parameters: Schema.Struct({
    search: Arguments.searchText,
    category: Arguments.category,
    page: Arguments.page,
    limit: Arguments.limit
  }),
  success: ToolPage.bodyOf(ModelSummary.ModelSummary)
})
  .annotate(Tool.Title, "List models")
  .annotateMerge(ToolTraits.reading)

const nothing =
  "No model matches. Leave `search` or `category` out, use fewer words, or call `search`, which looks at wrappers, too."

export const make = Effect.gen(function* () {
  const catalog = yield* CatalogContents
  const lists = yield* CatalogLists.make
  return Effect.fnUntraced(function* ({ category, search, ...asked }: Tool.Parameters<typeof tool>) {
    const filter = { category, search: Arguments.searched(search) }
    const found = lists.models(yield* catalog.current, filter)
    return ToolPage.of(found, asked, ({ item }) => ModelSummary.ofModel(item), nothing)
  })
})
