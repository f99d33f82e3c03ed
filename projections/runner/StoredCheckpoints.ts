/** Reads the checkpoints in a file of read models. */
import * as fs from "node:fs"
import type { DatabaseSync } from "node:sqlite"
import { Schema } from "effect"
import { GlobalPosition } from "#streams/GlobalPosition.ts"
import * as Database from "#streams/sqlite/Database.ts"

export interface StoredCheckpoint {
  /** Version of the projection that wrote the rows. */
  readonly version: number
  readonly position: GlobalPosition
}

export type StoredCheckpoints = ReadonlyMap<string, StoredCheckpoint>

const decode = Schema.decodeUnknownSync(
  Schema.Array(Schema.Struct({ name: Schema.String, version: Schema.Int, position: GlobalPosition }))
)

/** Checkpoints by projection. Empty when the file does not exist. Throws when it is not a file of read models. */
export const read = (filename: string): StoredCheckpoints => {
  if (!fs.existsSync(filename)) return new Map()
  const db = Database.open({ filename, readOnly: true, synchronous: "NORMAL" })
  try {
    return of(db)
  } finally {
    db.close()
  }
}

/** Reads them in the connection's transaction. */
export const of = (db: DatabaseSync): StoredCheckpoints => {
  const rows = db
    .prepare("SELECT projection AS name, schema_version AS version, position FROM checkpoints")
    .all()
  return new Map(decode(rows).map(({ name, ...checkpoint }) => [name, checkpoint]))
}
