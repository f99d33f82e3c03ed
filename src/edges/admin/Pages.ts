import { Effect, Option, Stream } from "effect"

/** All items of a list that is read in pages. `list` receives the cursor of the last item of the previous page. */
export const collect = <Item, Cursor, E, R>(
  list: (after: Cursor | null) => Effect.Effect<ReadonlyArray<Item>, E, R>,
  cursorOf: (last: Item) => Cursor
): Effect.Effect<Array<Item>, E, R> =>
  Stream.runCollect(
    Stream.paginate<Cursor | null, Item, E, R>(null, (after) =>
      Effect.map(list(after), (page) => [page, Option.map(Option.fromUndefinedOr(page.at(-1)), cursorOf)])
    )
  )
