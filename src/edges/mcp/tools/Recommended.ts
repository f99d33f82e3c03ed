/** Curated models or wrappers. */
import { Order, Schema } from "effect"
import { Category } from "#domain/catalog/Model.ts"
import type { Listed } from "#src/features/catalog/CatalogContents.ts"
import { shownOf } from "#src/features/catalog/CatalogLists.ts"

/** A shortlist: categories and the complete list show more. */
const most = 20

export const bodyOf = <Item extends Schema.Constraint>(item: Item) =>
  Schema.Struct({
    total: Schema.Finite.annotate({ description: `All that are curated: ${most} of them are given.` }),
    data: Schema.Array(item).annotate({ description: "Best first." }),
    hint: Schema.optionalKey(Schema.String).annotate({
      description: "When not all are given: what to do."
    })
  })

const rankOf = (listed: Listed): number => shownOf(listed).recommended ?? Number.POSITIVE_INFINITY

/** By rank, then by category, then by name. */
const order = Order.combineAll<Listed>([
  Order.mapInput(Order.Number, rankOf),
  Order.mapInput(Order.Number, (listed) => Category.literals.indexOf(shownOf(listed).category)),
  Order.mapInput(Order.String, (listed) => shownOf(listed).endpoint)
])

/** Never recommends deprecated entries. @param list the tool that lists all. */
export const of = <A extends Listed, Item>(
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
