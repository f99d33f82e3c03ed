/** `list_models` and `list_wrappers`: all of them in pages, newest first, or with a search best first. */
import { Effect, Schema } from "effect"
import * as Tool from "effect/ai/Tool"
import { CatalogContents } from "#src/features/catalog/CatalogContents.ts"
import * as CatalogLists from "#src/features/catalog/CatalogLists.ts"
import * as Arguments from "../Arguments.ts"
import * as ModelSummary from "../ModelSummary.ts"
import * as ToolPage from "../ToolPage.ts"
import * as ToolTraits from "../ToolTraits.ts"

const parameters = Schema.Struct({
  search: Arguments.searchText,
  category: Arguments.category,
  page: Arguments.page,
  limit: Arguments.limit
})

export const models = Tool.make("list_models", {
  description:
    "Lists the public models in pages, newest first, each with what it does, its price and how long a run usually takes. Use it to browse or to see all of a category; for a task in words use `search`, for a short curated choice `recommended_models`. Deprecated models are listed, too: see `status`. Next: `get_model` with a modelEndpoint of the list.",
  parameters,
  success: ToolPage.bodyOf(ModelSummary.ModelSummary)
})
  .annotate(Tool.Title, "List models")
  .annotateMerge(ToolTraits.reading)

export const wrappers = Tool.make("list_wrappers", {
  description:
    "Lists the wrappers in pages, newest first. A wrapper is a prompt-templated product on a base model: it runs like a model, with fewer and simpler inputs, and costs what its base model costs. For a task in words use `search`, for a short curated choice `recommended_wrappers`. Next: `get_wrapper` with a modelEndpoint of the list.",
  parameters,
  success: ToolPage.bodyOf(ModelSummary.WrapperSummary)
})
  .annotate(Tool.Title, "List wrappers")
  .annotateMerge(ToolTraits.reading)

const noModel =
  "No model matches. Leave `search` or `category` out, use fewer words, or call `search`, which looks at wrappers, too."

const noWrapper =
  "No wrapper matches. Leave `search` or `category` out, use fewer words, or call `list_models`: most tasks are done by a model alone."

export const makeModels = Effect.gen(function* () {
  const catalog = yield* CatalogContents
  const lists = yield* CatalogLists.make
  return Effect.fnUntraced(function* ({ category, search, ...page }: typeof parameters.Type) {
    const found = lists.models(yield* catalog.current, { category, search: Arguments.searched(search) })
    return ToolPage.of(found, page, ({ item }) => ModelSummary.ofModel(item), noModel)
  })
})

export const makeWrappers = Effect.gen(function* () {
  const catalog = yield* CatalogContents
  const lists = yield* CatalogLists.make
  return Effect.fnUntraced(function* ({ category, search, ...page }: typeof parameters.Type) {
    const found = lists.wrappers(yield* catalog.current, { category, search: Arguments.searched(search) })
    return ToolPage.of(found, page, ({ item }) => ModelSummary.ofWrapper(item), noWrapper)
  })
})
