/**
 * The rows of a table that has one for each stream, or other key, as a batch changes them: each is read at most once,
 * changed in memory, and written once at the end. A row that comes and goes within a batch is never written: on a replay
 * that is most of a work queue.
 */
import type { StreamName } from "#streams/StreamName.ts"
import type { BatchBuffer } from "../Projection.ts"

/** `Key`: what a row is of, a stream unless said otherwise. */
export interface Statements<Row, Key extends string = StreamName> {
  readonly load: (key: Key) => Row | undefined
  readonly insert: (key: Key, row: Row) => void
  readonly update: (key: Key, row: Row) => void
  readonly remove: (key: Key) => void
}

export interface Rows<Row, Key extends string = StreamName> extends BatchBuffer {
  /** The row as it is, not to be changed: looking costs no write. `undefined` when there is none. */
  readonly look: (key: Key) => Readonly<Row> | undefined
  /** The row to be changed in place; `undefined` when there is none. */
  readonly edit: (key: Key) => Row | undefined
  /** A new row. That there was none before is found out when it is written. */
  readonly add: (key: Key, row: Row) => void
  /** The row that goes, if there was one. */
  readonly remove: (key: Key) => Row | undefined
}

interface Entry<Row> {
  row: Row | undefined
  /** Whether the table has a row of this key. */
  isStored: boolean
  /** Whether what the table has is another row than this one. */
  isNew: boolean
  /** Whether it may have been changed. */
  isEdited: boolean
}

export const make = <Row, Key extends string = StreamName>({
  load,
  insert,
  update,
  remove
}: Statements<Row, Key>): Rows<Row, Key> => {
  const entries = new Map<Key, Entry<Row>>()

  const entryOf = (key: Key): Entry<Row> => {
    const found = entries.get(key)
    if (found !== undefined) return found
    const row = load(key)
    const entry = { row, isStored: row !== undefined, isNew: false, isEdited: false }
    entries.set(key, entry)
    return entry
  }

  const write = (key: Key, { row, isStored, isNew, isEdited }: Entry<Row>) => {
    if (isStored && (row === undefined || isNew)) remove(key)
    if (row === undefined) return
    if (isNew) insert(key, row)
    else if (isEdited) update(key, row)
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
      if (entry?.row !== undefined) throw new Error("The row is there already")
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
      entries.clear()
    },
    forget: () => entries.clear()
  }
}
