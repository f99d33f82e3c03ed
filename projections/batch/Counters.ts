/** Counters that a batch changes. Each changed counter is written once, even if its changes add up to 0. */
import type { BatchBuffer } from "../Projection.ts"

export interface Counters extends BatchBuffer {
  readonly add: (name: string, change: number) => void
}

/**
 * `write` adds `change` to a row that may not exist yet. It is also called for a change of 0: whether a counter of 0 has a
 * row must not depend on the boundaries of batches.
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
