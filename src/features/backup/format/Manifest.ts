/**
 * The manifest of a backup: `manifest.json`. It names every other piece with its hash, and has a hash of its own. Its fields
 * are a storage format: add optional ones, never rename.
 */
import * as crypto from "node:crypto"
import { Effect, Schema } from "effect"
import { GlobalPosition } from "#streams/GlobalPosition.ts"
import * as DataFormat from "#src/kernel/program/DataFormat.ts"
import { BackupDamaged, NoSuchBackup } from "../BackupError.ts"
import { manifestKey } from "../target/BackupTarget.ts"

const format = 1

/** An object at the target. It is never changed. */
export const Piece = Schema.Struct({
  key: Schema.String,
  /** Hexadecimal, of the stored bytes. */
  sha256: Schema.String,
  /** Stored bytes. */
  size: Schema.Int
})
export type Piece = typeof Piece.Type

/** A moment of the log. */
export const Moment = Schema.Struct({
  /** The last event. */
  position: GlobalPosition,
  /** See `EventChain.digest`. */
  digest: Schema.String,
  /** The number of events up to it. */
  events: Schema.Int,
  /** The hash of the last event; empty for an empty log. */
  hash: Schema.String,
  /** Its time: Unix time in ms. `null` for an empty log. */
  time: Schema.NullOr(Schema.Int)
})
export type Moment = typeof Moment.Type

export const SqliteFile = Schema.Struct({
  ...Piece.fields,
  /** Bytes of the file in it. */
  fileSize: Schema.Int
})
export type SqliteFile = typeof SqliteFile.Type

/** Events after `after` and up to `end`, with their payload records. */
export const Segment = Schema.Struct({
  ...Piece.fields,
  after: GlobalPosition,
  end: Moment,
  events: Schema.Int,
  /** Bytes before they were compressed. */
  rawSize: Schema.Int
})
export type Segment = typeof Segment.Type

/** The blobs that some events name. */
export const Inventory = Schema.Struct({
  ...Piece.fields,
  blobs: Schema.Int,
  rawSize: Schema.Int
})
export type Inventory = typeof Inventory.Type

/** A segment of archived events. Its SHA-256 is also on the log. */
export const ArchivedSegment = Schema.Struct({
  ...Piece.fields,
  /** Of the log's segment. */
  name: Schema.String
})
export type ArchivedSegment = typeof ArchivedSegment.Type

/** A base and what followed. */
export const Generation = Schema.Struct({
  /** When it was begun: Unix time in ms. */
  startedAt: Schema.Int,
  /** `null` when the log has no file: then the segments begin with the first event. */
  base: Schema.NullOr(Schema.Struct({ ...SqliteFile.fields, end: Moment })),
  segments: Schema.Array(Segment),
  inventories: Schema.Array(Inventory),
  /** All segments of archived events that the log names. Absent for a log without any. */
  archive: Schema.optionalKey(Schema.Array(ArchivedSegment))
})
export type Generation = typeof Generation.Type

export const Keys = Schema.Struct({
  ...Piece.fields,
  /** Of the master key (`MasterKey.fingerprint`). */
  fingerprint: Schema.String
})
export type Keys = typeof Keys.Type

/** A signed checkpoint of a verification (docs/decisions/0065). */
export const StoredCheckpoint = Schema.Struct({
  ...Piece.fields,
  /** Of the file. */
  name: Schema.String,
  /** Hexadecimal, of its first bytes. */
  headerSha256: Schema.String
})
export type StoredCheckpoint = typeof StoredCheckpoint.Type

export const Manifest = Schema.Struct({
  format: Schema.Literal(format),
  /** The release that wrote it. */
  release: Schema.String,
  /** The format of the log's data; absent in backups of 0.1.0. */
  data: Schema.optionalKey(DataFormat.DataRelease),
  /** When it was written: Unix time in ms. */
  writtenAt: Schema.Int,
  /** Where the log was. On NATS, positions count commits. */
  backend: Schema.Literals(["sqlite", "nats"]),
  /** Oldest first; at least one. */
  generations: Schema.NonEmptyArray(Generation),
  keys: Schema.NullOr(Keys),
  /** Absent without any. */
  checkpoints: Schema.optionalKey(Schema.Array(StoredCheckpoint)),
  /** Registrations of assistants. */
  oauth: Schema.NullOr(
    Schema.Struct({
      ...SqliteFile.fields,
      clients: Schema.optionalKey(Schema.Int),
      /** Unix time in ms. */
      copiedAt: Schema.optionalKey(Schema.Int)
    })
  ),
  /** Inventories of generations that are not kept, whose blobs are being removed. */
  retired: Schema.optionalKey(Schema.Array(Inventory))
})
export type Manifest = typeof Manifest.Type

const Envelope = Schema.fromJsonString(
  Schema.Struct({ sha256: Schema.String, manifest: Schema.Struct({ format: Schema.Int }) })
)
const isEnvelope = Schema.decodeUnknownEffect(Envelope)
const decode = Schema.decodeUnknownEffect(
  Schema.fromJsonString(Schema.Struct({ sha256: Schema.String, manifest: Manifest }))
)
const encode = Schema.encodeSync(Manifest)

const hashOf = (text: string) => crypto.hash("sha256", text)

/** Two lines: the hash is over the text of the object in the second. */
const prefixOf = (sha256: string) => `{"sha256":"${sha256}",\n"manifest":`

export const render = (manifest: Manifest): string => {
  const body = JSON.stringify(encode(manifest))
  return `${prefixOf(hashOf(body))}${body}}\n`
}

const damaged = new BackupDamaged({ piece: manifestKey, reason: "is not what was written" })

export const parse = Effect.fnUntraced(function* (text: string) {
  const { length } = prefixOf(hashOf(""))
  const body = text.slice(length, -2)
  if (text !== `${prefixOf(hashOf(body))}${body}}\n`) return yield* damaged
  const { manifest } = yield* Effect.mapError(isEnvelope(text), () => damaged)
  if (manifest.format !== format) {
    return yield* new NoSuchBackup({
      reason: `The backup has format ${manifest.format}; this release reads format ${format}`
    })
  }
  return (yield* Effect.mapError(decode(text), () => damaged)).manifest
})

export const newest = ({ generations }: Manifest): Generation =>
  generations[generations.length - 1] ?? generations[0]

/** The end of a generation. */
export const endOf = ({ base, segments }: Generation): Moment =>
  segments.at(-1)?.end ?? base?.end ?? beginning

/** Before the first event. */
export const beginning: Moment = {
  position: GlobalPosition.make("0"),
  digest: "",
  events: 0,
  hash: "",
  time: null
}
