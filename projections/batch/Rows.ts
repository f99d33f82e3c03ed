/**
 * Rows of a table with one row per stream or other key. A batch reads each row at most once, changes it in memory and writes
 * it once at the end. A row that is added and removed within a batch, like most of the work queue in a replay, is never
 * written. With `keeps`, the rows that were used last stay in memory: most requests end a few batches after their submit.
 */
import type { StreamName } from "#streams/StreamName.ts"
import type { RowInserts } from "#streams/sqlite/thread/RowInserts.ts"
import type { BatchBuffer } from "../Projection.ts"

/** `Key` identifies a row. By default it is a stream. */
export interface Statements<Row, Key extends string = StreamName> {
  readonly load: (key: Key) => Row | undefined
  /** May leave rows to `inserts`. */
  readonly insert: (key: Key, row: Row) => void
  /** Written after all other changes. */
  readonly inserts?: RowInserts
  readonly update: (key: Key, row: Row) => void
  readonly remove: (key: Key) => void
  /** Keeps rows in memory between batches. Nothing but these statements may then write the table. */
  readonly keeps?: boolean
}

export interface Rows<Row, Key extends string = StreamName> extends BatchBuffer {
  /** Reads the row without changing it. `undefined` when there is none. */
  readonly look: (key: Key) => Readonly<Row> | undefined
  /** The row, to be changed in place. `undefined` when there is none. */
  readonly edit: (key: Key) => Row | undefined
  /** Adds a row. If the table already has one, the write fails. */
  readonly add: (key: Key, row: Row) => void
  /** Removes the row and returns it, if there was one. */
  readonly remove: (key: Key) => Row | undefined
}

interface Entry<Row> {
  row: Row | undefined
  /** Whether the table has a row with this key. */
  isStored: boolean
  /** Whether the row was added in this batch, so that a stored one is a different row. */
  isNew: boolean
  /** Whether the row may have been changed. */
  isEdited: boolean
}

/** The most rows of a table that are kept. */
const mostKept = 2_048

export const make = <Row, Key extends string = StreamName>({
  load,
  insert,
  inserts,
  update,
  remove,
  keeps = false
}: Statements<Row, Key>): Rows<Row, Key> => {
  /** The rows of the batch. */
  const entries = new Map<Key, Entry<Row>>()
  /** Rows as the table has them, the last used ones last. None is in `entries`. */
  const kept = new Map<Key, Row>()

  const entryOf = (key: Key): Entry<Row> => {
    const found = entries.get(key)
    if (found !== undefined) return found
    const row = kept.get(key) ?? load(key)
    kept.delete(key)
    const entry = { row, isStored: row !== undefined, isNew: false, isEdited: false }
    entries.set(key, entry)
    return entry
  }

  const write = (key: Key, { row, isStored, isNew, isEdited }: Entry<Row>) => {
    if (isStored && (row === undefined || isNew)) remove(key)
    if (row === undefined) return
    if (isNew) insert(key, row)
    else if (isEdited) update(key, row)
    if (keeps) kept.set(key, row)
  }

  const dropOldest = () => {
    let surplus = kept.size - mostKept
    for (const key of kept.keys()) {
      if (surplus-- <= 0) return
      kept.delete(key)
    }
  }

  return {
    look: (key) => entryOf(key).row,
    edit: (key) => {
      const entry = entryOf(key)
      entry.isEdited = true
      return entry.row
    },
    add: (key, row) => {
      const entry = entries.get(key)
      if (entry?.row !== undefined || kept.has(key)) throw new Error("The row exists already")
      entries.set(key, { row, isStored: entry?.isStored ?? false, isNew: true, isEdited: false })
    },
    remove: (key) => {
      const entry = entryOf(key)
      const { row } = entry
      entry.row = undefined
      return row
    },
    write: () => {
      for (const [key, entry] of entries) write(key, entry)
      inserts?.flush()
      entries.clear()
      dropOldest()
    },
    forget: () => {
      inserts?.discard()
      entries.clear()
      kept.clear()
    }
  }
}
