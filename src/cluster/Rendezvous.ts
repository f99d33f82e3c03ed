/**
 * Which of the live nodes is to try first, agreed on without a word: the one whose name, hashed with the key, gives the
 * highest number (rendezvous hashing, Thaler and Ravishankar 1998). When a node comes or goes only its own keys move.
 */
import * as crypto from "node:crypto"

/** The first of the nodes for `key`; `undefined` when there are none. */
export const first = (key: string, nodes: ReadonlyArray<string>): string | undefined => {
  const [only] = nodes
  if (nodes.length < 2) return only
  let best: string | undefined
  let highest = ""
  for (const node of nodes) {
    const weight = crypto.hash("sha1", `${key}\n${node}`, "hex")
    if (best !== undefined && weight <= highest) continue
    best = node
    highest = weight
  }
  return best
}
