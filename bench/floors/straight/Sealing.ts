/** Payloads as the log has them: canonical text, salted and hashed. */
import * as crypto from "node:crypto"

export interface Sealed {
  readonly name: string
  readonly text: string
  readonly salt: string
  readonly hash: string
}

const saltBytes = 16
const pool = Buffer.alloc(512 * saltBytes)
let used = pool.length

const newSalt = (): string => {
  if (used === pool.length) {
    crypto.randomFillSync(pool)
    used = 0
  }
  used += saltBytes
  return pool.toString("base64url", used - saltBytes, used)
}

/** JSON with sorted keys and without white space. */
export const canonical = (value: unknown): string => {
  if (value === null || typeof value !== "object") return JSON.stringify(value)
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`
  const members = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))
  return `{${members.map(([key, member]) => `${JSON.stringify(key)}:${canonical(member)}`).join(",")}}`
}

export const hashOf = (salt: string, text: string): string =>
  crypto.hash("sha256", `${salt}\n${text}`, "base64url")

export const seal = (name: string, text: string): Sealed => {
  const salt = newSalt()
  return { name, text, salt, hash: hashOf(salt, text) }
}
