/** Shows that a form was made here, for whoever may see the authorization that it is about (OWASP, "Signed double-submit"). */
import * as crypto from "node:crypto"
import * as SameBytes from "#src/kernel/text/SameBytes.ts"
import type { PendingAuthorization } from "./Interactions.ts"

export interface FormTokens {
  readonly make: (pending: PendingAuthorization) => string
  /** Constant time. */
  readonly isOf: (pending: PendingAuthorization, token: string) => boolean
}

/** @param key for this purpose alone. */
export const make = (key: Buffer): FormTokens => {
  const mac = ({ clientId, redirectUri, uid }: PendingAuthorization): Buffer =>
    crypto
      .createHmac("sha256", key)
      .update(JSON.stringify([uid, clientId, redirectUri]))
      .digest()
  return {
    make: (pending) => mac(pending).toString("base64url"),
    isOf: (pending, token) => SameBytes.isSame(Buffer.from(token, "base64url"), mac(pending))
  }
}
