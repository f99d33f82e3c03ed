/** A page of a list in a tool's answer. */
import { Schema } from "effect"
import { usualLimit } from "#src/edges/http/requests/PageQuery.ts"

export const bodyOf = <Item extends Schema.Constraint>(item: Item) =>
  Schema.Struct({
    page: Schema.Finite,
    limit: Schema.Finite,
    total: Schema.Finite,
    totalPages: Schema.Finite.annotate({ description: "More to come while `page` is less." }),
    data: Schema.Array(item),
    hint: Schema.optionalKey(Schema.String).annotate({ description: "What to do if the page is empty." })
  })

/** @param instead the hint when nothing is found. */
export const of = <A, Item>(
  found: ReadonlyArray<A>,
  { limit = usualLimit, page = 1 }: { readonly page?: number; readonly limit?: number },
  view: (item: A) => Item,
  instead: string
) => {
  const begin = (page - 1) * limit
  const total = found.length
  const totalPages = Math.ceil(total / limit)
  const hint = total === 0 ? instead : `At this limit the last page is ${totalPages}.`
  return {
    page,
    limit,
    total,
    totalPages,
    data: found.slice(begin, begin + limit).map(view),
    ...(begin >= total && { hint })
  }
}
