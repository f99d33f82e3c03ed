import * as crypto from "node:crypto"

/**
 * Whether what was presented is what it has to be, for secrets, MACs and signatures. How long it takes tells nothing of the
 * expected bytes but their number, which is no secret: it is that of the algorithm, whatever the key.
 */
export const isSame = (presented: Uint8Array, expected: Uint8Array): boolean =>
  presented.length === expected.length && crypto.timingSafeEqual(presented, expected)
