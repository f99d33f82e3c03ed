/** A table with only a key column. A batch writes the last change of each key, whatever the table had. */
import type { RowInserts } from "#streams/sqlite/thread/RowInserts.ts"
import type { BatchBuffer } from "../Projection.ts"

export interface KeySet extends BatchBuffer {
  readonly add: (key: string) => void
  readonly remove: (key: string) => void
}

/**
 * `insert` and `remove` must be idempotent: a key may be added twice, or removed without having been added. `insert` may
 * leave rows to `inserts`.
 */
export const make = ({
  insert,
  inserts,
  remove
}: {
  readonly insert: (key: string) => void
  readonly inserts?: RowInserts
  readonly remove: (key: string) => void
}): KeySet => {
  const changes = new Map<string, boolean>()
  return {
    add: (key) => {
      changes.set(key, true)
    },
    remove: (key) => {
      changes.set(key, false)
    },
    write: () => {
      for (const [key, isIncluded] of changes) {
        if (isIncluded) insert(key)
        else remove(key)
      }
      inserts?.flush()
      changes.clear()
    },
    forget: () => {
      inserts?.discard()
      changes.clear()
    }
  }
}
