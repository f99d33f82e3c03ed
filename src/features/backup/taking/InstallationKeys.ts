/** Adds the sealed master key to a backup, unless the backup has it already. */
import { Context, Effect, Layer, type Redacted } from "effect"
import { MasterKey } from "#src/kernel/secrets/MasterKey.ts"
import type * as Manifest from "../format/Manifest.ts"
import * as Pieces from "../format/Pieces.ts"
import * as SealedKeys from "../keys/SealedKeys.ts"
import type { BackupTarget } from "../target/BackupTarget.ts"

/** The master key; `null` to leave it out. */
export type GivenKeys = { readonly masterKey: Buffer; readonly passphrase: Redacted.Redacted<string> } | null

interface Options {
  readonly target: BackupTarget
  readonly keys: GivenKeys
  readonly id: string
}

const fingerprintOf = (key: Buffer) =>
  Effect.map(
    Effect.scoped(Layer.build(MasterKey.layerOf(key))),
    (context) => Context.get(context, MasterKey).fingerprint
  )

/** Whether the backup's key is this one, under this passphrase. */
const isSame = Effect.fnUntraced(function* (
  { keys, target }: Options,
  before: Manifest.Keys,
  fingerprint: string
) {
  if (keys === null || before.fingerprint !== fingerprint) return false
  const text = (yield* Pieces.read(target.pieces, before)).toString()
  return yield* SealedKeys.open(text, keys.passphrase).pipe(
    Effect.as(true),
    Effect.catchTag("KeysUnusable", () => Effect.succeed(false))
  )
})

export const put = Effect.fn("InstallationKeys.put")(function* (
  options: Options,
  before: Manifest.Keys | null
) {
  const { id, keys, target } = options
  if (keys === null) return { keys: before, isNew: false }
  const fingerprint = yield* fingerprintOf(keys.masterKey)
  if (before !== null && (yield* isSame(options, before, fingerprint))) return { keys: before, isNew: false }
  const text = yield* SealedKeys.seal(keys.masterKey, keys.passphrase)
  const piece = yield* Pieces.put(target.pieces, `keys/${id}`, Buffer.from(text))
  return { keys: { ...piece, fingerprint }, isNew: true }
})
