/** A page of a list, and where the next page starts. */

export interface Page<Item, PageKey> {
  readonly items: ReadonlyArray<Item>
  /** The key of the last item. `null` when no page follows. */
  readonly next: PageKey | null
}

/** Makes a page from up to `limit + 1` rows: the extra row shows that another page follows. */
export const cut = <Item, PageKey>(
  rows: ReadonlyArray<Item>,
  limit: number,
  pageKeyOf: (item: Item) => PageKey
): Page<Item, PageKey> => {
  const items = rows.slice(0, limit)
  const last = items.at(-1)
  return { items, next: rows.length > limit && last !== undefined ? pageKeyOf(last) : null }
}
