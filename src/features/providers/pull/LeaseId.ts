/** Ids of leases. An id leads to its run and ends in a MAC; only the worker key that got it can use it. */
import * as crypto from "node:crypto"
import { type KeyId, RequestId } from "#domain/Ids.ts"

export interface LeasedRun {
  readonly requestId: RequestId
  /** Number of the run. */
  readonly attempt: number
}

/** The purpose for `MasterKey.keyFor`. */
export const purpose = "leases of pull workers"

const form = /^([A-Za-z0-9_-]{21})\.([1-9]\d{0,8})\.([A-Za-z0-9_-]{12})\.([A-Za-z0-9_-]{22})$/

const macOf = (secret: Buffer, keyId: string, body: string): Buffer =>
  crypto.createHmac("sha256", secret).update(`${keyId}\n${body}`).digest().subarray(0, 16)

/** A new id in each call. */
export const make = (secret: Buffer, { attempt, requestId }: LeasedRun, keyId: KeyId): string => {
  const body = `${requestId}.${attempt}.${crypto.randomBytes(9).toString("base64url")}`
  return `${body}.${macOf(secret, keyId, body).toString("base64url")}`
}

/** `null` if it is not a lease of the key. */
export const open = (secret: Buffer, text: string, keyId: KeyId): LeasedRun | null => {
  const match = form.exec(text)
  if (match === null) return null
  const [, id = "", attempt = "", nonce = "", mac = ""] = match
  const presented = Buffer.from(mac, "base64url")
  const expected = macOf(secret, keyId, `${id}.${attempt}.${nonce}`)
  if (!crypto.timingSafeEqual(presented, expected)) return null
  return { requestId: RequestId.make(id), attempt: Number(attempt) }
}
