/** The one secret of an installation, shared by all nodes (security, "Keys and secrets"). Only derived keys are read. */
import * as crypto from "node:crypto"
import { Context, Effect, Layer, Option, Schema } from "effect"
import { DataDirectory } from "#src/kernel/disk/DataDirectory.ts"
import { given } from "./GivenMasterKey.ts"
import * as MasterKeyFile from "./MasterKeyFile.ts"

/** The log is shared with other nodes, so the key must be set too. */
export class MasterKeyMissing extends Schema.TaggedError<MasterKeyMissing>()("MasterKeyMissing", {}) {
  override readonly message =
    "MASTER_KEY: Expected 64 hexadecimal digits, the same ones on every node (`openssl rand -hex 32` makes some)"
}

const derivedFrom = (key: Buffer): MasterKey["Service"] => {
  const keyFor = (purpose: string) => crypto.createHmac("sha256", key).update(`inferlog ${purpose}`).digest()
  return { keyFor, fingerprint: keyFor("fingerprint").toString("base64url").slice(0, 16) }
}

export class MasterKey extends Context.Service<
  MasterKey,
  {
    /** 32 bytes, stable per purpose. The key of one purpose reveals nothing about another's. */
    readonly keyFor: (purpose: string) => Buffer
    /** The same for nodes with the same key. It reveals nothing about the key and may be shown. */
    readonly fingerprint: string
  }
>()("inferlog/src/kernel/secrets/MasterKey") {
  /** @param key 32 bytes. */
  static readonly layerOf = (key: Buffer) => Layer.succeed(MasterKey, derivedFrom(key))

  /** For a log in the data directory: the key of the setting, or else of the key file. */
  static readonly layer = Layer.effect(
    MasterKey,
    Effect.gen(function* () {
      const key = yield* given
      return derivedFrom(Option.isSome(key) ? key.value : yield* MasterKeyFile.read(yield* DataDirectory))
    })
  )

  /** For a log that nodes share: the key must be set. */
  static readonly layerRequired = Layer.effect(
    MasterKey,
    Effect.gen(function* () {
      const key = yield* given
      return Option.isSome(key) ? derivedFrom(key.value) : yield* new MasterKeyMissing()
    })
  )
}
