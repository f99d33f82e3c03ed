/** A table of keys alone, as a batch changes it: of each key its last change is written, whatever the table had. */
import type { BatchBuffer } from "../Projection.ts"

export interface KeySet extends BatchBuffer {
  readonly add: (key: string) => void
  readonly remove: (key: string) => void
}

/** `insert` and `remove` change nothing when the table is so already: a key may come twice, and go without having come. */
export const make = ({
  insert,
  remove
}: {
  readonly insert: (key: string) => void
  readonly remove: (key: string) => void
}): KeySet => {
  const isKept = new Map<string, boolean>()
  return {
    add: (key) => {
      isKept.set(key, true)
    },
    remove: (key) => {
      isKept.set(key, false)
    },
    write: () => {
      for (const [key, isIn] of isKept) {
        if (isIn) insert(key)
        else remove(key)
      }
      isKept.clear()
    },
    forget: () => isKept.clear()
  }
}
