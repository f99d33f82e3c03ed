/**
 * A token that proves that a form was made by this server for the reader of the authorization (OWASP, "Signed
 * double-submit").
 */
import * as crypto from "node:crypto"
import * as SameBytes from "#src/kernel/text/SameBytes.ts"
import type { PendingAuthorization } from "./Interactions.ts"

export interface FormTokens {
  readonly make: (pending: PendingAuthorization) => string
  /** Compares in constant time. */
  readonly isOf: (pending: PendingAuthorization, token: string) => boolean
}

/** @param key used for this purpose only. */
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
