/** Lists of the blobs in a backup: a line for each, in the order of the events that name them. */
import { Effect, Schema } from "effect"
import { BackupDamaged } from "../BackupError.ts"
import type { Inventory } from "./Manifest.ts"

export const Entry = Schema.Struct({
  /** The key in the blob store. */
  key: Schema.String,
  /** The stream of the event that names it. */
  stream: Schema.String,
  /** For a file: the ETag of these bytes in its event. */
  etag: Schema.optionalKey(Schema.String),
  /** The key at the target. */
  object: Schema.String,
  /** Hexadecimal. */
  sha256: Schema.String,
  /** Bytes. */
  size: Schema.Int
})
export type Entry = typeof Entry.Type

const decode = Schema.decodeUnknownEffect(Schema.fromJsonString(Entry))

export const render = (entries: ReadonlyArray<Entry>): string =>
  entries.map((entry) => `${JSON.stringify(entry)}\n`).join("")

export const parse = (
  inventory: Inventory,
  text: string
): Effect.Effect<ReadonlyArray<Entry>, BackupDamaged> =>
  Effect.mapError(
    Effect.forEach(text.split("\n").slice(0, -1), (line) => decode(line)),
    () => new BackupDamaged({ piece: inventory.key, reason: "is not a list of blobs" })
  )
