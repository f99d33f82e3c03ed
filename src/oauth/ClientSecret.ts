/** Secrets of clients that want one. They are kept as their hash, like those of API keys. */
import * as crypto from "node:crypto"
import * as ApiKey from "#src/accounts/ApiKey.ts"

export const make = ApiKey.makeSecret

export const hash = ApiKey.hashSecret

/** Whether the text is the secret of that hash. In constant time. */
export const matches = (secretHash: string, text: string): boolean => {
  const expected = Buffer.from(secretHash, "latin1")
  const presented = Buffer.from(ApiKey.sha256Hex(text), "latin1")
  return expected.length === presented.length && crypto.timingSafeEqual(presented, expected)
}
