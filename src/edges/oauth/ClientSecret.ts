/** Secrets of clients that want one. They are kept as their hash, like those of API keys. */
import * as ApiKey from "#src/features/accounts/ApiKey.ts"
import * as SameBytes from "#src/kernel/text/SameBytes.ts"

export const make = ApiKey.makeSecret

export const hash = ApiKey.hashSecret

/** Whether the text is the secret of that hash. In constant time. */
export const matches = (secretHash: string, text: string): boolean =>
  SameBytes.isSame(Buffer.from(ApiKey.sha256Hex(text), "latin1"), Buffer.from(secretHash, "latin1"))
