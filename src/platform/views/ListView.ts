/** The envelope of all lists (decisions): newest first, with the cursor of the next page. */
import { Schema } from "effect"

export const bodyOf = <Item extends Schema.Constraint>(item: Item) =>
  Schema.Struct({
    page: Schema.Int,
    limit: Schema.Int,
    total: Schema.Int.annotate({ description: "The number of items on all pages." }),
    totalPages: Schema.Int,
    data: Schema.Array(item),
    next: Schema.NullOr(Schema.String).annotate({
      description:
        "Pass it as `cursor` to get the next page, regardless of later additions; null on the last page."
    })
  })

export interface ListPage<Item> {
  readonly page: number
  readonly limit: number
  readonly total: number
  readonly data: ReadonlyArray<Item>
  readonly next: string | null
}

export const of = <Item>({ data, limit, next, page, total }: ListPage<Item>) => ({
  page,
  limit,
  total,
  totalPages: Math.ceil(total / limit),
  data,
  next
})
