/** The keys of the authorization server. They are derived from the master key and so survive a restart. */
import * as crypto from "node:crypto"
import type { JWK } from "oidc-provider"
import type { MasterKey } from "#src/kernel/secrets/MasterKey.ts"

/** The bytes before the seed in the PKCS #8 form of an Ed25519 key (RFC 8410, 7). */
const pkcs8Prefix = Buffer.from("302e020100300506032b657004220420", "hex")

export const cookieKeys = ({ keyFor }: MasterKey["Service"]): Array<string> => [
  keyFor("oauth cookies").toString("base64url")
]

/** The library requires a signing key. It signs nothing, because tokens are opaque. */
export const signingKey = ({ keyFor }: MasterKey["Service"]): JWK => {
  const key = Buffer.concat([pkcs8Prefix, keyFor("oauth signing")])
  const jwk = crypto.createPrivateKey({ key, format: "der", type: "pkcs8" }).export({ format: "jwk" })
  return { ...jwk, alg: "EdDSA", use: "sig" } as JWK
}
