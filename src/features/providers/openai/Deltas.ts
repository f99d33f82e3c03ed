/**
 * How the parts of a streamed completion add up. There is no list of members: what a text means follows from where it is, and in a
 * delta from its name, because all that grows there is text, apart from names of things.
 */
import type { Rules } from "#src/kernel/text/GrowingJson.ts"

/** Names of members whose texts name something, and are told again as a whole. */
const naming =
  /^(?:id|object|role|type|kind|model|name|title|url|uri|href|format|status|state|level|detail|language|provider|version|author|domain|source)$|_(?:id|type|kind|model|name|title|url|uri|format|status|state|role|reason|tier|at|date)$/

/** In deltas, and in all that is in them. */
export const rules: Rules = { joins: (member) => !naming.test(member), repeatsLists: false }

/** In choices, beside their deltas. */
export const ofChoice: Rules = { joins: () => false, repeatsLists: false }

/** In choices of a `text_completion`, which have no deltas. */
export const ofTextChoice: Rules = { joins: (member) => member === "text", repeatsLists: false }

/** In chunks, beside their choices: each of them may tell again what holds for the whole answer. */
export const ofChunk: Rules = { joins: () => false, repeatsLists: true }
