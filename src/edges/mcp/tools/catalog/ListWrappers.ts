/** `list_wrappers`: all wrappers in pages, newest first, or with a search best first. */
import { Effect, Schema } from "effect"
import * as Tool from "effect/ai/Tool"
import { CatalogContents } from "#src/features/catalog/CatalogContents.ts"
import * as CatalogLists from "#src/features/catalog/CatalogLists.ts"
import * as Arguments from "../Arguments.ts"
import * as ModelSummary from "../ModelSummary.ts"
import * as ToolPage from "../ToolPage.ts"
import * as ToolTraits from "../ToolTraits.ts"

export const tool = Tool.make("list_wrappers", {
  description:
    "Lists the wrappers in pages, newest first. A wrapper is a prompt-templated product on a base model: it runs like a model, with fewer and simpler inputs, and costs what its base model costs. For a task in words use `search`, for a short curated choice `recommended_wrappers`. Next: `get_wrapper` with a modelEndpoint of the list.",
  parameters: Schema.Struct({
    search: Arguments.searchText,
    category: Arguments.category,
    page: Arguments.page,
    limit: Arguments.limit
  }),
  success: ToolPage.bodyOf(ModelSummary.WrapperSummary)
})
  .annotate(Tool.Title, "List wrappers")
  .annotateMerge(ToolTraits.reading)

const nothing =
  "No wrapper matches. Leave `search` or `category` out, use fewer words, or call `list_models`: most tasks are done by a model alone."

export const make = Effect.gen(function* () {
  const catalog = yield* CatalogContents
  const lists = yield* CatalogLists.make
  return Effect.fnUntraced(function* ({ category, search, ...asked }: Tool.Parameters<typeof tool>) {
    const filter = { category, search: Arguments.searched(search) }
    const found = lists.wrappers(yield* catalog.current, filter)
    return ToolPage.of(found, asked, ({ item }) => ModelSummary.ofWrapper(item), nothing)
  })
})
