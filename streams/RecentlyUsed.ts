/**
 * A bounded map that keeps what was used lately. Two generations: what is used moves to the young one, and when that is
 * full the old one is dropped as a whole. Unlike a map in the order of use it leaves no deleted entries behind, over which
 * a search for the oldest would have to step.
 */

export interface RecentlyUsed<A> {
  /** Counts as a use. */
  readonly get: (key: string) => A | undefined
  readonly set: (key: string, value: A) => void
  readonly delete: (key: string) => void
  readonly clear: () => void
}

export interface Options<A> {
  /** Entries at most, give or take two; at least half as many are kept of those used last. */
  readonly capacity: number
  /** Whether an entry stays, however long ago it was used. Such entries may exceed the capacity. */
  readonly isPinned?: (value: A) => boolean
  /** Told of each entry that went because it had not been used. */
  readonly onDrop?: (value: A) => void
}

export const make = <A>({ capacity, isPinned, onDrop }: Options<A>): RecentlyUsed<A> => {
  const half = Math.ceil(capacity / 2)
  let young = new Map<string, A>()
  let old = new Map<string, A>()

  const age = () => {
    const dropped = old
    old = young
    young = new Map()
    if (isPinned === undefined && onDrop === undefined) return
    for (const [key, value] of dropped) {
      if (old.has(key)) continue
      if (isPinned?.(value) === true) young.set(key, value)
      else onDrop?.(value)
    }
  }

  const set = (key: string, value: A) => {
    young.set(key, value)
    if (young.size > half) age()
  }

  return {
    get: (key) => {
      const found = young.get(key)
      if (found !== undefined) return found
      const older = old.get(key)
      if (older !== undefined) set(key, older)
      return older
    },
    set,
    delete: (key) => {
      young.delete(key)
      old.delete(key)
    },
    clear: () => {
      young.clear()
      old.clear()
    }
  }
}
