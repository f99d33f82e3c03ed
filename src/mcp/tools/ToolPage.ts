/** A page of a list, as tools give it. */
import { Schema } from "effect"

const count = (description: string) => Schema.Finite.annotate({ description })

/** @param data what is in it, for the reader. */
export const bodyOf = <Item extends Schema.Constraint>(item: Item, data: string) =>
  Schema.Struct({
    page: count("This page, from 1."),
    limit: count("Items of a page at most."),
    total: count("Items of all pages."),
    totalPages: count("How many pages there are: ask for the next one by `page` while it is less than this."),
    data: Schema.Array(item).annotate({ description: data }),
    hint: Schema.optionalKey(Schema.String).annotate({
      description: "Only where the page is empty: what to do instead."
    })
  })

export interface Asked {
  readonly page?: number
  readonly limit?: number
}

export const usualLimit = 20

/** @param instead the hint where nothing is found at all. */
export const of = <A, Item>(
  found: ReadonlyArray<A>,
  { limit = usualLimit, page = 1 }: Asked,
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
