/**
 * The Ed25519 key pair that signs checkpoints. It is derived from the master key, so that it is the same on every node and after a
 * restore. The public key alone is enough to check checkpoints, but not to make them.
 */
import * as crypto from "node:crypto"
import { Context, Effect, Layer, Option, Schema } from "effect"
import { MasterKey } from "#src/kernel/secrets/MasterKey.ts"
import { MasterKeyBytes } from "#src/kernel/secrets/MasterKeyBytes.ts"

/** 32 bytes, base64url. */
export const PublicKey = Schema.String.check(Schema.isPattern(/^[A-Za-z0-9_-]{43}$/))
export type PublicKey = typeof PublicKey.Type

/** PKCS #8 of an Ed25519 key, before its 32 bytes (RFC 8410). */
const privateForm = Buffer.from("302e020100300506032b657004220420", "hex")

export interface CheckpointKey {
  readonly publicKey: PublicKey
  /** base64url. `null` without the private key. */
  readonly sign: ((text: string) => string) | null
}

const fromSeed = (seed: Buffer): CheckpointKey => {
  const key = crypto.createPrivateKey({
    key: Buffer.concat([privateForm, seed]),
    format: "der",
    type: "pkcs8"
  })
  const { x } = crypto.createPublicKey(key).export({ format: "jwk" })
  return {
    publicKey: PublicKey.make(x ?? ""),
    sign: (text) => crypto.sign(null, Buffer.from(text), key).toString("base64url")
  }
}

export const isSigned = (publicKey: PublicKey, text: string, signature: string): boolean => {
  try {
    const key = crypto.createPublicKey({ key: { kty: "OKP", crv: "Ed25519", x: publicKey }, format: "jwk" })
    return crypto.verify(null, Buffer.from(text), key, Buffer.from(signature, "base64url"))
  } catch {
    return false
  }
}

/** @param masterKey 32 bytes. */
export const ofMasterKey = (masterKey: Buffer): Effect.Effect<CheckpointKey> =>
  Effect.map(Effect.scoped(Layer.build(MasterKey.layerOf(masterKey))), (context) =>
    fromSeed(Context.get(context, MasterKey).keyFor("checkpoint signing"))
  )

/** Without the private key. */
export const ofPublicKey = (publicKey: PublicKey): CheckpointKey => ({ publicKey, sign: null })

/** The key of the installation with this data directory. `null` where its master key is not. */
export const find = Effect.fn("CheckpointKey.find")(function* (directory: string) {
  const masterKey = yield* Effect.option(MasterKeyBytes(directory))
  return Option.isNone(masterKey) ? null : yield* ofMasterKey(masterKey.value)
})
