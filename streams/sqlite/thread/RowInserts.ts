/** Inserts several rows per statement, because most of the cost of a small row is its statement. */
import type { DatabaseSync, SQLInputValue } from "node:sqlite"

export interface RowInserts {
  /** Adds a row with a value for each column. It is written now or by a later call, and that call throws SQLite's error. */
  readonly add: (...row: ReadonlyArray<SQLInputValue>) => void
  /** Writes the waiting rows. */
  readonly flush: () => void
  /** Discards the waiting rows. */
  readonly discard: () => void
}

/** Rows per statement, longest first. More rows gain nothing. */
const rowCounts = [16, 8, 4, 2, 1]
const maxRows = Math.max(...rowCounts)

const list = (item: string, count: number) => Array.from({ length: count }, () => item).join(", ")

/**
 * @param conflict what happens to a row that is in the table already. `FAIL`: the statement throws, and rows before it stay
 * until the rollback of the transaction. So SQLite writes no journal for each statement, which costs more than the rows.
 */
export const make = (
  db: DatabaseSync,
  table: string,
  columns: number,
  conflict: "FAIL" | "IGNORE" = "FAIL"
): RowInserts => {
  const statements = rowCounts.map((rows) => ({
    size: rows * columns,
    statement: db.prepare(
      `INSERT OR ${conflict} INTO ${table} VALUES ${list(`(${list("?", columns)})`, rows)}`
    )
  }))
  let waiting: Array<SQLInputValue> = []

  const discard = () => {
    waiting = []
  }

  const flush = () => {
    const values = waiting
    waiting = []
    let written = 0
    for (const { size, statement } of statements) {
      for (; values.length - written >= size; written += size)
        statement.run(...values.slice(written, written + size))
    }
  }

  return {
    add: (...row) => {
      waiting.push(...row)
      if (waiting.length >= maxRows * columns) flush()
    },
    flush,
    discard
  }
}
