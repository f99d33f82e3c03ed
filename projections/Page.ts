/** Pages of lists, requested by number or by the key that they start after. */
import { Effect } from "effect"

export interface Page<Item, Key> {
  readonly items: ReadonlyArray<Item>
  /** The key of the last item. `null` when no page follows. */
  readonly next: Key | null
}

export interface PageWithTotal<Item, Key> extends Page<Item, Key> {
  /** The number of items that match the filter, on all pages. */
  readonly total: number
}

export interface PageRequest<Key> {
  /** From 1. Ignored when `after` is given. */
  readonly page: number
  /** The page after this key. */
  readonly after: Key | null
  readonly limit: number
}

/** A part of a list: after `after` if given, and `offset` items further. */
export interface Part<Key> {
  readonly after: Key | null
  readonly offset: number
  readonly limit: number
}

/** Makes a page from up to `limit + 1` rows: the extra row shows that another page follows. */
export const cut = <Item, Key>(
  rows: ReadonlyArray<Item>,
  limit: number,
  keyOf: (item: Item) => Key
): Page<Item, Key> => {
  const items = rows.slice(0, limit)
  const last = items.at(-1)
  return { items, next: rows.length > limit && last !== undefined ? keyOf(last) : null }
}

/** Reads a page of a list of `total` items through `items`, which is not called for a page past the end. */
export const read = <Item, Key, E>(
  { after, limit, page }: PageRequest<Key>,
  total: number,
  items: (part: Part<Key>) => Effect.Effect<ReadonlyArray<Item>, E>,
  keyOf: (item: Item) => Key
): Effect.Effect<PageWithTotal<Item, Key>, E> => {
  const offset = after === null ? (page - 1) * limit : 0
  if (offset >= total) return Effect.succeed({ total, items: [], next: null })
  return Effect.map(items({ after, offset, limit: limit + 1 }), (found) => ({
    total,
    ...cut(found, limit, keyOf)
  }))
}
