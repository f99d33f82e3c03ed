/** API keys as clients carry them: `<keyId>:<secret>` (security, "Keys and secrets"). */
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

/** What the text of a key begins with: it is no secret. */
export const prefixOf = (keyId: KeyId): string => `${keyId}:`

/** The text to show once. */
export const format = ({ keyId, secret }: ApiKey): string => `${prefixOf(keyId)}${Redacted.value(secret)}`

/** 256 random bits. */
export const makeSecret = (): Redacted.Redacted => Redacted.make(crypto.randomBytes(32).toString("base64url"))

/** Hex SHA-256: a secret of 256 random bits needs no slow hash. */
export const hashSecret = (secret: Redacted.Redacted): string => sha256Hex(Redacted.value(secret))

export const sha256Hex = (text: string): string => crypto.hash("sha256", text, "hex")

/** A key as a request presents it: its secret is hashed at once and kept nowhere. */
export interface Presented {
  readonly keyId: KeyId
  readonly secretHash: string
}

/** `null` for text that is no key. */
export const present = (text: string): Presented | null => {
  const match = form.exec(text)
  if (match === null) return null
  const [, keyId = "", secret = ""] = match
  return { keyId: KeyId.make(keyId), secretHash: sha256Hex(secret) }
}

/** A hash as `matches` takes it: made once of each, for it is compared with by every request. */
export const expected = (secretHash: string): Buffer => Buffer.from(secretHash, "latin1")

/** Written and read in one go: a buffer for each comparison would cost more than to compare. */
const scratch = Buffer.alloc(sha256Hex("").length)

/** Constant time in the secret. */
export const matches = ({ secretHash }: Presented, expected: Buffer): boolean => {
  scratch.write(secretHash, "latin1")
  return crypto.timingSafeEqual(scratch, expected)
}

const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"

/** `length` random characters of `A-Za-z0-9`. */
export const randomLetters = (length: number): string =>
  Array.from({ length }, () => letters.charAt(crypto.randomInt(letters.length))).join("")

/** A first key whose id leads to an account that nobody has yet (`domain/account/Account.accountOf`). */
export const makeForNewAccount = (): ApiKey => ({
  keyId: KeyId.make(`key_${crypto.randomBytes(8).toString("hex")}_${randomLetters(8)}`),
  secret: makeSecret()
})

/**
 * A key whose id, and with it its account, follows from `digits`, of which there are at least 24 hexadecimal ones. The
 * secret is random.
 */
export const makeOf = (digits: string): ApiKey => ({
  keyId: Account.makeKeyId(AccountId.make(`acc_${digits.slice(0, 16)}`), digits.slice(16, 24)),
  secret: makeSecret()
})
