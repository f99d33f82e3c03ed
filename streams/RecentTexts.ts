/**
 * Texts of payloads that were sealed or read a moment ago, by their hash: what is submitted is read by its run, and what a
 * run gives by its client, mostly at once. Whoever erases a payload has to `forget` it.
 */

export interface RecentTexts {
  readonly put: (hash: string, text: string) => void
  /**
   * For a read that begins now: `put`, unless something is forgotten before the text is there. It might be this text, read
   * while it was erased.
   */
  readonly beginRead: () => RecentTexts["put"]
  readonly get: (hash: string) => string | undefined
  readonly forget: (hash: string) => void
}

/** @param capacity characters of text that are kept, the newest. */
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
