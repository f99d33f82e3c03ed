/**
 * A cache of payload texts by hash. A run reads an input soon after its submit, and a client reads an output soon after the
 * run. Erasing a payload must `forget` its text.
 */

export interface RecentTexts {
  readonly put: (hash: string, text: string) => void
  /**
   * Begins a read, and returns a `put` that does nothing if any text is forgotten before: the text may have been erased
   * during the read.
   */
  readonly beginRead: () => RecentTexts["put"]
  readonly get: (hash: string) => string | undefined
  readonly forget: (hash: string) => void
}

/** @param capacity characters of text in the cache. */
export const make = (capacity: number): RecentTexts => {
  const half = capacity / 2
  let young = new Map<string, string>()
  let old = new Map<string, string>()
  let size = 0
  let forgotten = 0

  const put = (hash: string, text: string) => {
    if (text.length > half) return
    young.set(hash, text)
    size += text.length
    if (size <= half) return
    old = young
    young = new Map()
    size = 0
  }

  return {
    put,
    beginRead: () => {
      const before = forgotten
      return (hash, text) => {
        if (forgotten === before) put(hash, text)
      }
    },
    get: (hash) => young.get(hash) ?? old.get(hash),
    forget: (hash) => {
      forgotten++
      young.delete(hash)
      old.delete(hash)
    }
  }
}
