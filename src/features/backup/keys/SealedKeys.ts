/** The master key, sealed under a passphrase: scrypt makes a key of it, AES-256-GCM seals (`kernel/secrets/Sealing`). */
import * as crypto from "node:crypto"
import { Effect, Redacted, Result, Schema } from "effect"
import * as Sealing from "#src/kernel/secrets/Sealing.ts"
import { KeysUnusable } from "../BackupError.ts"

/** Its fields are a storage format: add optional ones, never rename. */
const SealedKeys = Schema.fromJsonString(
  Schema.Struct({
    kdf: Schema.Literal("scrypt"),
    /** Parameters of RFC 7914. */
    n: Schema.Int.check(Schema.isBetween({ minimum: 2, maximum: 2 ** 20 })),
    r: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 32 })),
    p: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 16 })),
    /** base64url */
    salt: Schema.String,
    sealed: Schema.String
  })
)

const decode = Schema.decodeUnknownEffect(SealedKeys)
const encode = Schema.encodeSync(SealedKeys)

/** About 0.4 s and 128 MiB for each guess (OWASP Password Storage Cheat Sheet). */
const parameters = { n: 2 ** 17, r: 8, p: 1 }

const keyBytes = 32
const saltBytes = 16
const context = "inferlog backup"

type Passphrase = Redacted.Redacted<string>

const keyOf = (
  passphrase: Passphrase,
  { n, p, r, salt }: { readonly n: number; readonly r: number; readonly p: number; readonly salt: string }
) =>
  Effect.callback<Buffer, KeysUnusable>((resume) => {
    const options = { N: n, r, p, maxmem: 256 * n * r }
    const given = Redacted.value(passphrase).normalize("NFC")
    crypto.scrypt(given, Buffer.from(salt, "base64url"), keyBytes, options, (error, key) =>
      resume(
        error === null
          ? Effect.succeed(key)
          : Effect.fail(new KeysUnusable({ reason: "The passphrase's key cannot be computed" }))
      )
    )
  })

/** @param masterKey its 32 bytes. */
export const seal = Effect.fn("SealedKeys.seal")(function* (masterKey: Buffer, passphrase: Passphrase) {
  const salt = crypto.randomBytes(saltBytes).toString("base64url")
  const key = yield* keyOf(passphrase, { ...parameters, salt })
  return encode({ kdf: "scrypt", ...parameters, salt, sealed: Sealing.seal({ key, context }, masterKey) })
})

/** Returns the master key. Fails when the passphrase is another one. */
export const open = Effect.fn("SealedKeys.open")(function* (text: string, passphrase: Passphrase) {
  const { sealed, ...parameters } = yield* Effect.mapError(
    decode(text),
    () => new KeysUnusable({ reason: "The sealed keys are in a form that this release does not know" })
  )
  const opened = Sealing.open({ key: yield* keyOf(passphrase, parameters), context }, sealed)
  if (Result.isSuccess(opened)) return opened.success
  return yield* new KeysUnusable({ reason: "The passphrase does not open the keys of this backup" })
})
