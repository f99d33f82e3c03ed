/** The envelope of all lists (decisions): newest first, with the cursor of the next page. */
import { Schema } from "effect"

export const bodyOf = <Item extends Schema.Constraint>(item: Item) =>
  Schema.Struct({
    page: Schema.Int,
    limit: Schema.Int,
    total: Schema.Int.annotate({ description: "Of all pages." }),
    totalPages: Schema.Int,
    data: Schema.Array(item),
    next: Schema.NullOr(Schema.String).annotate({
      description:
        "Given back as `cursor` it leads to the page that follows, whatever has been added since; null at the end."
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
