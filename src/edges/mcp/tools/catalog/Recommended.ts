/** `recommended_models` and `recommended_wrappers`: what the operator has curated, best first. */
import { Effect, Order, Schema } from "effect"
import * as Tool from "effect/ai/Tool"
import { Category } from "#domain/catalog/Model.ts"
import { CatalogContents, type Listed } from "#src/features/catalog/CatalogContents.ts"
import { shownOf } from "#src/features/catalog/CatalogLists.ts"
import * as Arguments from "../Arguments.ts"
import * as ModelSummary from "../ModelSummary.ts"
import * as ToolTraits from "../ToolTraits.ts"

/** A shortlist: categories and the complete list show more. */
const most = 20

const bodyOf = <Item extends Schema.Constraint>(item: Item) =>
  Schema.Struct({
    total: Schema.Finite.annotate({ description: `All that are curated: ${most} of them are given.` }),
    data: Schema.Array(item).annotate({ description: "Best first." }),
    hint: Schema.optionalKey(Schema.String).annotate({ description: "What to do if some are missing." })
  })

const parameters = Schema.Struct({ category: Arguments.category })

export const models = Tool.make("recommended_models", {
  description:
    'A curated shortlist of good models, best first, of one category (image, video, audio, text or utility) or of all. Start here when the user names a kind of task but no model, as in "make a picture". When nothing fits, use `search` or `list_models`. Next: `get_model` with a modelEndpoint of the shortlist.',
  parameters,
  success: bodyOf(ModelSummary.ModelSummary)
})
  .annotate(Tool.Title, "Recommended models")
  .annotateMerge(ToolTraits.reading)

export const wrappers = Tool.make("recommended_wrappers", {
  description:
    "A curated shortlist of good wrappers, best first, of one category (image, video, audio, text or utility) or of all. A wrapper is a prompt-templated product on a base model, with fewer and simpler inputs: use it when the user wants one typical result without tuning. When nothing fits, use `search` or `list_wrappers`. Next: `get_wrapper` with a modelEndpoint of the shortlist.",
  parameters,
  success: bodyOf(ModelSummary.WrapperSummary)
})
  .annotate(Tool.Title, "Recommended wrappers")
  .annotateMerge(ToolTraits.reading)

const rankOf = (listed: Listed): number => shownOf(listed).recommended ?? Number.POSITIVE_INFINITY

/** By rank, then by category, then by name. */
const order = Order.combineAll<Listed>([
  Order.mapInput(Order.Number, rankOf),
  Order.mapInput(Order.Number, (listed) => Category.literals.indexOf(shownOf(listed).category)),
  Order.mapInput(Order.String, (listed) => shownOf(listed).endpoint)
])

/** Never recommends deprecated entries. @param list the tool that lists all. */
const of = <A extends Listed, Item>(
  listed: ReadonlyArray<A>,
  category: Category | undefined,
  view: (item: A) => Item,
  list: string
) => {
  const curated = listed
    .filter(
      (item) =>
        item.status === "active" &&
        shownOf(item).recommended !== undefined &&
        (category === undefined || shownOf(item).category === category)
    )
    .sort(order)
  const hint =
    curated.length === 0
      ? `None is curated here. Call \`${list}\`, with the same category if one was asked for, or \`search\`.`
      : `These are the first ${most}: ask for one category to see more of it.`
  return {
    total: curated.length,
    data: curated.slice(0, most).map(view),
    ...((curated.length === 0 || curated.length > most) && { hint })
  }
}

export const makeModels = Effect.map(
  CatalogContents,
  ({ current }) =>
    ({ category }: typeof parameters.Type) =>
      Effect.map(current, ({ models }) => of(models, category, ModelSummary.ofModel, "list_models"))
)

export const makeWrappers = Effect.map(
  CatalogContents,
  ({ current }) =>
    ({ category }: typeof parameters.Type) =>
      Effect.map(current, ({ wrappers }) => of(wrappers, category, ModelSummary.ofWrapper, "list_wrappers"))
)
