/** Counters that a batch moves: one write for each that was touched, also when it ends where it began. */
import type { BatchBuffer } from "../Projection.ts"

export interface Counters extends BatchBuffer {
  readonly add: (name: string, change: number) => void
}

/**
 * `write` adds `change` to a row that may not be there yet. It is called for a change of 0 as well: whether a counter
 * that came back to 0 has a row must not depend on where a batch ended.
 */
export const make = (write: (name: string, change: number) => void): Counters => {
  const changes = new Map<string, number>()
  return {
    add: (name, change) => {
      changes.set(name, (changes.get(name) ?? 0) + change)
    },
    write: () => {
      for (const [name, change] of changes) write(name, change)
      changes.clear()
    },
    forget: () => changes.clear()
  }
}
