/**
 * Hashes of passwords: scrypt (RFC 7914) with a salt of 16 random bytes, as `$scrypt$ln=15,r=8,p=3$<salt>$<hash>`,
 * base64 without padding (the PHC string format). A storage format: hashes with other costs stay valid.
 */
import * as crypto from "node:crypto"
import { Context, Effect } from "effect"

export interface Cost {
  /** Binary logarithm of N. */
  readonly ln: number
  readonly r: number
  readonly p: number
}

/** For new hashes: the setting with the least memory, 32 MiB, of OWASP's "Password Storage". Tests use a lower one. */
export const ScryptCost = Context.Reference<Cost>("inferlog/src/features/accounts/ScryptCost", {
  defaultValue: () => ({ ln: 15, r: 8, p: 3 })
})

export interface PasswordHash extends Cost {
  readonly salt: Buffer
  readonly hash: Buffer
}

const saltBytes = 16
const hashBytes = 32

const base64 = (bytes: Buffer): string => bytes.toString("base64").replaceAll("=", "")

export const format = ({ hash, ln, p, r, salt }: PasswordHash): string =>
  `$scrypt$ln=${ln},r=${r},p=${p}$${base64(salt)}$${base64(hash)}`

const form = /^\$scrypt\$ln=(\d{1,2}),r=(\d{1,2}),p=(\d{1,2})\$([A-Za-z0-9+/]{22})\$([A-Za-z0-9+/]{43})$/

/** `null` for a text that `format` did not make. */
export const parse = (text: string): PasswordHash | null => {
  const match = form.exec(text)
  if (match === null) return null
  const [, ln, r, p, salt = "", hash = ""] = match
  return {
    ln: Number(ln),
    r: Number(r),
    p: Number(p),
    salt: Buffer.from(salt, "base64"),
    hash: Buffer.from(hash, "base64")
  }
}

/** Runs on a thread of Node's pool and cannot be interrupted. */
const derive = (password: string, salt: Buffer, { ln, p, r }: Cost): Effect.Effect<Buffer> =>
  Effect.uninterruptible(
    Effect.callback((resume) => {
      const cost = { N: 2 ** ln, r, p, maxmem: 256 * 2 ** ln * r }
      crypto.scrypt(password, salt, hashBytes, cost, (error, hash) =>
        resume(error === null ? Effect.succeed(hash) : Effect.die(error))
      )
    })
  )

/** @param password normalised (`PasswordText`). */
export const make = Effect.fnUntraced(function* (password: string, cost: Cost) {
  const salt = crypto.randomBytes(saltBytes)
  return { ...cost, salt, hash: yield* derive(password, salt, cost) }
})

/** Matches no password, at the same cost as a real hash. */
export const ofNone = (cost: Cost): PasswordHash => ({
  ...cost,
  salt: crypto.randomBytes(saltBytes),
  hash: crypto.randomBytes(hashBytes)
})

/** Constant time in the hash. */
export const matches = (password: string, stored: PasswordHash): Effect.Effect<boolean> =>
  Effect.map(derive(password, stored.salt, stored), (hash) => crypto.timingSafeEqual(hash, stored.hash))
