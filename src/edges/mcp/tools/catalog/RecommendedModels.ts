/** `recommended_models`: models that the operator has curated, best first. */
import { Effect, Schema } from "effect"
import * as Tool from "effect/ai/Tool"
import { CatalogContents } from "#src/features/catalog/CatalogContents.ts"
import * as Arguments from "../Arguments.ts"
import * as ModelSummary from "../ModelSummary.ts"
import * as Recommended from "../Recommended.ts"
import * as ToolTraits from "../ToolTraits.ts"

export const tool = Tool.make("recommended_models", {
  description:
    'A curated shortlist of good models, best first, of one category (image, video, audio, text or utility) or of all. Start here when the user names a kind of task but no model, as in "make a picture". When nothing fits, use `search` or `list_models`. Next: `get_model` with a modelEndpoint of the shortlist.',
  parameters: Schema.Struct({ category: Arguments.category }),
  success: Recommended.bodyOf(ModelSummary.ModelSummary)
})
  .annotate(Tool.Title, "Recommended models")
  .annotateMerge(ToolTraits.reading)

export const make = Effect.gen(function* () {
  const catalog = yield* CatalogContents
  return Effect.fnUntraced(function* ({ category }: Tool.Parameters<typeof tool>) {
    const { models } = yield* catalog.current
    return Recommended.of(models, category, ModelSummary.ofModel, "list_models")
  })
})
