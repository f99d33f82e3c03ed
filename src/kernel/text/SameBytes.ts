import * as crypto from "node:crypto"

/** Compares secrets, MACs and signatures in constant time. The time reveals only the expected length, which is public. */
export const isSame = (presented: Uint8Array, expected: Uint8Array): boolean =>
  presented.length === expected.length && crypto.timingSafeEqual(presented, expected)
