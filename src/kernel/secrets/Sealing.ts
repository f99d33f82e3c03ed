/**
 * Encrypts secrets for storage: AES-256-GCM under a key of `MasterKey`. Text sealed in one context, such as an account's
 * id, cannot be opened in another. Storage format: `v1.<nonce>.<ciphertext and tag>`, both base64url; every text ever
 * sealed must stay readable.
 */
import * as crypto from "node:crypto"
import { Result, Schema } from "effect"

/** The text was changed, sealed under another key or context, or is not a sealed text. */
export class Unopenable extends Schema.TaggedError<Unopenable>()("Unopenable", {}) {
  override readonly message =
    "The sealed text cannot be opened: the key or the context differs, or the text was changed"
}

export interface Seal {
  /** 32 bytes, derived for this purpose only. */
  readonly key: Uint8Array
  readonly context: string
}

const algorithm = "aes-256-gcm"
const version = "v1"
/** 96 random bits (NIST SP 800-38D, 8.2.2): among 2³² texts under one key a repeated nonce is unlikely. */
const nonceBytes = 12
const tagBytes = 16

export const seal = ({ context, key }: Seal, secret: Uint8Array): string => {
  const nonce = crypto.randomBytes(nonceBytes)
  const cipher = crypto.createCipheriv(algorithm, key, nonce).setAAD(Buffer.from(context))
  const sealed = Buffer.concat([cipher.update(secret), cipher.final(), cipher.getAuthTag()])
  return `${version}.${nonce.toString("base64url")}.${sealed.toString("base64url")}`
}

const form = new RegExp(`^${version}\\.([\\w-]{16})\\.([\\w-]{22,})$`)

export const open = ({ context, key }: Seal, text: string): Result.Result<Buffer, Unopenable> => {
  const [, nonce, rest] = form.exec(text) ?? []
  if (nonce === undefined || rest === undefined) return Result.fail(new Unopenable())
  const sealed = Buffer.from(rest, "base64url")
  // Spare bits of the last character would decode as well.
  if (sealed.toString("base64url") !== rest) return Result.fail(new Unopenable())
  return Result.try({
    try: () => {
      const decipher = crypto
        .createDecipheriv(algorithm, key, Buffer.from(nonce, "base64url"), { authTagLength: tagBytes })
        .setAAD(Buffer.from(context))
        .setAuthTag(sealed.subarray(-tagBytes))
      return Buffer.concat([decipher.update(sealed.subarray(0, -tagBytes)), decipher.final()])
    },
    catch: () => new Unopenable()
  })
}
