/** Tokens that were verified before: the next call with one needs no new MAC and no parsing. */
import * as crypto from "node:crypto"
import * as RecentlyUsed from "#streams/RecentlyUsed.ts"
import * as Token from "./Token.ts"

/** A token has up to 8 kB. Only tokens that this service has signed get in. */
const capacity = 2_000

interface Verified {
  /** Of the secret that it was made with. */
  readonly secretHash: string
  readonly mac: Uint8Array
  readonly claims: Token.Claims
}

/**
 * The claims of a token that was signed for its key while the key had the secret; `null` for any other. Whether they are still
 * valid is for `Token.isCurrent`. Constant time in the MAC.
 */
export type Verify = (presented: Token.Presented, secretHash: string) => Token.Claims | null

export const make = (masterKey: Uint8Array): Verify => {
  const known = RecentlyUsed.make<Verified>({ capacity })
  return (presented, secretHash) => {
    const signed = Token.signedOf(presented)
    const found = known.get(signed)
    if (found?.secretHash === secretHash) {
      return crypto.timingSafeEqual(found.mac, presented.mac) ? found.claims : null
    }
    if (!Token.matches(masterKey, presented, secretHash)) return null
    const claims = Token.claimsOf(presented)
    // A copy, because a small `Buffer` keeps the pool that it is a part of.
    if (claims !== null) known.set(signed, { secretHash, mac: Uint8Array.from(presented.mac), claims })
    return claims
  }
}
