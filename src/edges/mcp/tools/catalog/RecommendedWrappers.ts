/** `recommended_wrappers`: wrappers that the operator has curated, best first. */
import { Effect, Schema } from "effect"
import * as Tool from "effect/ai/Tool"
import { CatalogContents } from "#src/features/catalog/CatalogContents.ts"
import * as Arguments from "../Arguments.ts"
import * as ModelSummary from "../ModelSummary.ts"
import * as Recommended from "../Recommended.ts"
import * as ToolTraits from "../ToolTraits.ts"

export const tool = Tool.make("recommended_wrappers", {
  description:
    "A curated shortlist of good wrappers, best first, of one category (image, video, audio, text or utility) or of all. A wrapper is a prompt-templated product on a base model, with fewer and simpler inputs: use it when the user wants one typical result without tuning. When nothing fits, use `search` or `list_wrappers`. Next: `get_wrapper` with a modelEndpoint of the shortlist.",
  parameters: Schema.Struct({ category: Arguments.category }),
  success: Recommended.bodyOf(ModelSummary.WrapperSummary)
})
  .annotate(Tool.Title, "Recommended wrappers")
  .annotateMerge(ToolTraits.reading)

export const make = Effect.gen(function* () {
  const catalog = yield* CatalogContents
  return Effect.fnUntraced(function* ({ category }: Tool.Parameters<typeof tool>) {
    const { wrappers } = yield* catalog.current
    return Recommended.of(wrappers, category, ModelSummary.ofWrapper, "list_wrappers")
  })
})
