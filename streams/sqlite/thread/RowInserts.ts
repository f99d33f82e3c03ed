/** Inserts into one table, several rows to a statement: most of what a small row costs is its statement. */
import type { DatabaseSync, SQLInputValue } from "node:sqlite"

export interface RowInserts {
  /** A value for each column. The row is written here or by a later call: what SQLite throws at it, any of them throws. */
  readonly add: (...row: ReadonlyArray<SQLInputValue>) => void
  /** Writes the rows that wait. */
  readonly flush: () => void
  /** Forgets the rows that wait. */
  readonly discard: () => void
}

/** Of one statement, longest first. Longer ones gain nothing. */
const rowCounts = [16, 8, 4, 2, 1]
const mostRows = Math.max(...rowCounts)

const list = (item: string, count: number) => Array.from({ length: count }, () => item).join(", ")

export const make = (db: DatabaseSync, table: string, columns: number): RowInserts => {
  const statements = rowCounts.map((rows) => ({
    size: rows * columns,
    statement: db.prepare(`INSERT INTO ${table} VALUES ${list(`(${list("?", columns)})`, rows)}`)
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
      if (waiting.length >= mostRows * columns) flush()
    },
    flush,
    discard
  }
}
