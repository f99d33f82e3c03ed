/** Ranks the live nodes for a key by a hash of both (rendezvous hashing), so only a lost node's keys move. */

/** The first of the nodes for `key`; `undefined` when there are none. */
export const first = (key: string, nodes: ReadonlyArray<string>): string | undefined => {
  const [only] = nodes
  if (nodes.length < 2) return only
  return nodes.find((node) => rank(key, node, nodes) === 0)
}

/** How many nodes rank before `node` for `key`. No two nodes have the same rank. */
export const rank = (key: string, node: string, nodes: ReadonlyArray<string>): number => {
  const keyed = hash(offset, key)
  const own = weight(keyed, node)
  let before = 0
  for (const other of nodes) {
    const theirs = weight(keyed, other)
    if (theirs > own || (theirs === own && other < node)) before++
  }
  return before
}

/** FNV-1a, 32 bit: fast enough for thousands of queue rows at once, and a collision is harmless. */
const offset = 0x811c9dc5
const prime = 0x01000193

const hash = (seed: number, text: string): number => {
  let value = seed
  for (let index = 0; index < text.length; index++) {
    value = Math.imul(value ^ text.charCodeAt(index), prime)
  }
  return value
}

/** Hashes key and node and mixes the bits (finalizer of MurmurHash3): names differ only in their last characters. */
const weight = (keyed: number, node: string): number => {
  let value = hash(keyed, node)
  value = Math.imul(value ^ (value >>> 16), 0x85ebca6b)
  value = Math.imul(value ^ (value >>> 13), 0xc2b2ae35)
  return (value ^ (value >>> 16)) >>> 0
}
