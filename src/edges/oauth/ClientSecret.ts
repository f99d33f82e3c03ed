/** Secrets of confidential clients. Only their hashes are stored, as with API keys. */
import * as ApiKey from "#src/features/accounts/ApiKey.ts"
import * as SameBytes from "#src/kernel/text/SameBytes.ts"

export const make = ApiKey.makeSecret

export const hash = ApiKey.hashSecret

/** Compares the text with the hash in constant time. */
export const matches = (secretHash: string, text: string): boolean =>
  SameBytes.isSame(Buffer.from(ApiKey.sha256Hex(text), "latin1"), Buffer.from(secretHash, "latin1"))
