/** One page of a list, and where the next one begins. */

export interface Page<Item, PageKey> {
  readonly items: ReadonlyArray<Item>
  /** The place of the last item, `null` when none follows. */
  readonly next: PageKey | null
}

/** From the rows of a page and, where there is one, the row behind it: ask for one more than `limit`. */
export const cut = <Item, PageKey>(
  rows: ReadonlyArray<Item>,
  limit: number,
  pageKeyOf: (item: Item) => PageKey
): Page<Item, PageKey> => {
  const items = rows.slice(0, limit)
  const last = items.at(-1)
  return { items, next: rows.length > limit && last !== undefined ? pageKeyOf(last) : null }
}
