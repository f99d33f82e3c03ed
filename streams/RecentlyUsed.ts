/**
 * A bounded map of recently used entries in two generations: used entries move to the young one, and when that is full the
 * old one is dropped as a whole, except for pinned entries. Unlike a map in order of use, it never leaves deleted entries that
 * a search for the oldest would step over.
 */

export interface RecentlyUsed<A> {
  /** Counts as a use. */
  readonly get: (key: string) => A | undefined
  readonly set: (key: string, value: A) => void
  readonly delete: (key: string) => void
  readonly clear: () => void
}

export interface Options<A> {
  /** The most entries, give or take two. At least half as many, the most recently used, are stored. */
  readonly capacity: number
  /** Whether an entry must stay. Such entries may exceed the capacity. */
  readonly isPinned?: (value: A) => boolean
  /** Called with each entry that is dropped because it was not used. */
  readonly onDrop?: (value: A) => void
}

/** Pinned entries that each insert looks at, so that all of them are looked at again and again. */
const looksPerSet = 2

export const make = <A>({ capacity, isPinned, onDrop }: Options<A>): RecentlyUsed<A> => {
  const half = Math.ceil(capacity / 2)
  let young = new Map<string, A>()
  let old = new Map<string, A>()
  /** Entries that were pinned when their generation was dropped. They do not count, so that they do not age the others. */
  const pinned = new Map<string, A>()
  let sweep = pinned.entries()

  /** Looks at a few pinned entries, and lets those age that are no longer pinned. */
  const look = () => {
    for (let looked = 0; looked < looksPerSet; looked++) {
      const next = sweep.next()
      if (next.done === true) {
        sweep = pinned.entries()
        return
      }
      const [key, value] = next.value
      if (isPinned?.(value) === true) continue
      pinned.delete(key)
      young.set(key, value)
    }
  }

  const age = () => {
    const dropped = old
    old = young
    young = new Map()
    if (isPinned === undefined && onDrop === undefined) return
    for (const [key, value] of dropped) {
      if (old.has(key)) continue
      if (isPinned?.(value) === true) pinned.set(key, value)
      else onDrop?.(value)
    }
  }

  const set = (key: string, value: A) => {
    young.set(key, value)
    if (pinned.size > 0) {
      pinned.delete(key)
      look()
    }
    if (young.size > half) age()
  }

  return {
    get: (key) => {
      const found = young.get(key)
      if (found !== undefined) return found
      const older = old.get(key)
      if (older !== undefined) set(key, older)
      return older ?? pinned.get(key)
    },
    set,
    delete: (key) => {
      young.delete(key)
      old.delete(key)
      pinned.delete(key)
    },
    clear: () => {
      young.clear()
      old.clear()
      pinned.clear()
    }
  }
}
