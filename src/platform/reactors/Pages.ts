/** Walking what a query finds, however much that is: one page in memory at a time. */
import { Effect } from "effect"

export interface PagesOptions<Row, E, R, E2, R2> {
  /** The page after the row; `null`: the first. An empty one is the end. */
  readonly read: (after: Row | null) => Effect.Effect<ReadonlyArray<Row>, E, R>
  readonly use: (row: Row) => Effect.Effect<unknown, E2, R2>
  /** Rows used at once. */
  readonly concurrency: number
}

/** Rows of a page are used before the next page is read. */
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
