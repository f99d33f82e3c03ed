/**
 * The rows of a table that has one for each stream, as a batch changes them: each is read at most once, changed in memory,
 * and written once at the end. A row that comes and goes within a batch is never written: on a replay that is most of a
 * work queue.
 */
import type { StreamName } from "#streams/StreamName.ts"
import type { Kept } from "../Projection.ts"

export interface Statements<Row> {
  readonly load: (stream: StreamName) => Row | undefined
  readonly insert: (stream: StreamName, row: Row) => void
  readonly update: (stream: StreamName, row: Row) => void
  readonly remove: (stream: StreamName) => void
}

export interface Rows<Row> extends Kept {
  /** The row to be changed in place; `undefined` when there is none. */
  readonly edit: (stream: StreamName) => Row | undefined
  /** A new row. That there was none before is found out when it is written. */
  readonly add: (stream: StreamName, row: Row) => void
  /** The row that goes, if there was one. */
  readonly remove: (stream: StreamName) => Row | undefined
}

interface Entry<Row> {
  row: Row | undefined
  /** Whether the table has a row of this stream. */
  isStored: boolean
  /** Whether what the table has is another row than this one. */
  isNew: boolean
}

export const make = <Row>({ load, insert, update, remove }: Statements<Row>): Rows<Row> => {
  const entries = new Map<StreamName, Entry<Row>>()

  const entryOf = (stream: StreamName): Entry<Row> => {
    const found = entries.get(stream)
    if (found !== undefined) return found
    const row = load(stream)
    const entry = { row, isStored: row !== undefined, isNew: false }
    entries.set(stream, entry)
    return entry
  }

  const write = (stream: StreamName, { row, isStored, isNew }: Entry<Row>) => {
    if (isStored && (row === undefined || isNew)) remove(stream)
    if (row === undefined) return
    if (isNew) insert(stream, row)
    else update(stream, row)
  }

  return {
    edit: (stream) => entryOf(stream).row,
    add: (stream, row) => {
      const entry = entries.get(stream)
      if (entry?.row !== undefined) throw new Error("The row is there already")
      entries.set(stream, { row, isStored: entry?.isStored ?? false, isNew: true })
    },
    remove: (stream) => {
      const entry = entryOf(stream)
      const { row } = entry
      entry.row = undefined
      return row
    },
    write: () => {
      for (const [stream, entry] of entries) write(stream, entry)
      entries.clear()
    },
    forget: () => entries.clear()
  }
}
