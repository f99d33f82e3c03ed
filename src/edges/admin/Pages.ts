import { Effect, Option, Stream } from "effect"
import { mostListed } from "./Wire.ts"

export interface Page<Item, Cursor> {
  readonly data: ReadonlyArray<Item>
  /** The `after` of the next page; `null` on the last. */
  readonly next: Cursor | null
}

/** All items of a list that is read in pages. */
export const collect = <Item, Cursor, E, R>(
  list: (after: Cursor | null) => Effect.Effect<Page<Item, Cursor>, E, R>
): Effect.Effect<Array<Item>, E, R> =>
  Stream.runCollect(
    Stream.paginate<Cursor | null, Item, E, R>(null, (after) =>
      Effect.map(list(after), ({ data, next }) => [data, Option.fromNullOr(next)])
    )
  )

/** A page of `items`, which are one more than its limit when another page follows. */
export const of = <Item, Cursor>(
  items: ReadonlyArray<Item>,
  limit: number,
  cursorOf: (last: Item) => Cursor
): Page<Item, Cursor> => {
  const data = items.slice(0, limit)
  const last = data.at(-1)
  return { data, next: items.length > limit && last !== undefined ? cursorOf(last) : null }
}

/** Reads one item more than the page, to know whether another page follows. */
export const read = <Item, Cursor, E, R>(
  limit: number | undefined,
  list: (limit: number) => Effect.Effect<ReadonlyArray<Item>, E, R>,
  cursorOf: (last: Item) => Cursor
): Effect.Effect<Page<Item, Cursor>, E, R> => {
  const most = limit ?? mostListed
  return Effect.map(list(most + 1), (items) => of(items, most, cursorOf))
}
