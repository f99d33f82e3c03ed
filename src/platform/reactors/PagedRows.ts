/** Walks the rows of a query with one page in memory at a time. */
import { Effect } from "effect"

export interface PagesOptions<Row, E, R, E2, R2> {
  /** Reads the page after the row, or the first page for `null`. An empty page ends the walk. */
  readonly read: (after: Row | null) => Effect.Effect<ReadonlyArray<Row>, E, R>
  readonly use: (row: Row) => Effect.Effect<unknown, E2, R2>
  /** How many rows are used at the same time. */
  readonly concurrency: number
}

/** Uses all rows of a page before it reads the next page. */
export const forEach = Effect.fnUntraced(function* <Row, E, R, E2, R2>({
  concurrency,
  read,
  use
}: PagesOptions<Row, E, R, E2, R2>) {
  let after: Row | null = null
  while (true) {
    const page: ReadonlyArray<Row> = yield* read(after)
    const last = page.at(-1)
    if (last === undefined) return
    yield* Effect.forEach(page, use, { concurrency, discard: true })
    after = last
  }
})
