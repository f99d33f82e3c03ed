/** API keys as clients send them: `<keyId>:<secret>` (security, "Keys and secrets"). */
import * as crypto from "node:crypto"
import { Option, Redacted } from "effect"
import * as Account from "#domain/account/Account.ts"
import { AccountId, KeyId } from "#domain/Ids.ts"

export interface ApiKey {
  readonly keyId: KeyId
  readonly secret: Redacted.Redacted
}

const form = /^([A-Za-z0-9._-]{1,64}):([\x21-\x7e]{1,256})$/

export const parse = (text: string): Option.Option<ApiKey> => {
  const match = form.exec(text)
  if (match === null) return Option.none()
  const [, keyId = "", secret = ""] = match
  return Option.some({ keyId: KeyId.make(keyId), secret: Redacted.make(secret) })
}

/** The prefix of a key's text, which is not secret. */
export const prefixOf = (keyId: KeyId): string => `${keyId}:`

/** The text to show once. */
export const format = ({ keyId, secret }: ApiKey): string => `${prefixOf(keyId)}${Redacted.value(secret)}`

/** 256 random bits. */
export const makeSecret = (): Redacted.Redacted => Redacted.make(crypto.randomBytes(32).toString("base64url"))

/** Hex SHA-256: a random secret of 256 bits needs no slow hash. */
export const hashSecret = (secret: Redacted.Redacted): string => sha256Hex(Redacted.value(secret))

export const sha256Hex = (text: string): string => crypto.hash("sha256", text, "hex")

/** A key from a request. Its secret is hashed at once and not stored. */
export interface Presented {
  readonly keyId: KeyId
  readonly secretHash: string
}

/** `null` if the text is not a key. */
export const present = (text: string): Presented | null => {
  const match = form.exec(text)
  if (match === null) return null
  const [, keyId = "", secret = ""] = match
  return { keyId: KeyId.make(keyId), secretHash: sha256Hex(secret) }
}

/** A hash in the form for `matches`: made once per key, because every request compares with it. */
export const expected = (secretHash: string): Buffer => Buffer.from(secretHash, "latin1")

/** Shared buffers, written and read at once: allocating them would cost more than the comparison. */
const scratch = Buffer.alloc(sha256Hex("").length)

/** Constant time in the secret. */
export const matches = ({ secretHash }: Pick<Presented, "secretHash">, expected: Buffer): boolean => {
  scratch.write(secretHash, "latin1")
  return crypto.timingSafeEqual(scratch, expected)
}

const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"

/** `length` random characters of `A-Za-z0-9`. */
export const randomLetters = (length: number): string =>
  Array.from({ length }, () => letters.charAt(crypto.randomInt(letters.length))).join("")

/** A first key, whose id leads to an unused account (`domain/account/Account.accountOf`). */
export const makeForNewAccount = (): ApiKey => ({
  keyId: KeyId.make(`key_${crypto.randomBytes(8).toString("hex")}_${randomLetters(8)}`),
  secret: makeSecret()
})

/** A key whose id, and so its account, follows from at least 24 hexadecimal `digits`. The secret is random. */
export const makeOf = (digits: string): ApiKey => ({
  keyId: Account.makeKeyId(AccountId.make(`acc_${digits.slice(0, 16)}`), digits.slice(16, 24)),
  secret: makeSecret()
})
