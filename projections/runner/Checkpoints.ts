/** The checkpoint of each projection, in the same file and transactions as its rows. */
import type { DatabaseSync } from "node:sqlite"
import { Schema } from "effect"
import * as GlobalPosition from "#streams/GlobalPosition.ts"
import type { Projection } from "../Projection.ts"

export interface Checkpoint {
  /** Position of the last event that was applied or skipped. */
  readonly position: GlobalPosition.GlobalPosition
  /** Position of an event shortly before it. With `hash`, it shows whether the rows were built from this log. */
  readonly previous: GlobalPosition.GlobalPosition
  readonly hash: string
}

export const start: Checkpoint = {
  position: GlobalPosition.beginning,
  previous: GlobalPosition.beginning,
  hash: ""
}

const decode = Schema.decodeUnknownSync(
  Schema.UndefinedOr(
    Schema.Struct({
      position: GlobalPosition.GlobalPosition,
      previous: GlobalPosition.GlobalPosition,
      hash: Schema.String
    })
  )
)

export interface Checkpoints {
  /** The checkpoint. `undefined` when the projection's tables are missing or have another version. */
  readonly read: (projection: Projection) => Checkpoint | undefined
  /** Must be called in the transaction that writes the rows. */
  readonly write: (name: string, checkpoint: Checkpoint) => void
  /** Drops the projection's tables and creates empty ones. */
  readonly rebuild: (projection: Projection) => Checkpoint
}

export const make = (db: DatabaseSync): Checkpoints => {
  db.exec(`CREATE TABLE IF NOT EXISTS checkpoints (
    projection TEXT PRIMARY KEY,
    schema_version INTEGER NOT NULL,
    position TEXT NOT NULL,
    previous TEXT NOT NULL,
    hash TEXT NOT NULL
  ) STRICT`)
  const read = db.prepare(
    "SELECT position, previous, hash FROM checkpoints WHERE projection = ? AND schema_version = ?"
  )
  const write = db.prepare("UPDATE checkpoints SET position = ?, previous = ?, hash = ? WHERE projection = ?")
  const reset = db.prepare("INSERT OR REPLACE INTO checkpoints VALUES (?, ?, ?, ?, ?)")
  const tables = db.prepare("SELECT name FROM sqlite_schema WHERE type = 'table' AND name GLOB ?")

  return {
    read: ({ name, version }) => decode(read.get(name, version)),
    write: (name, { position, previous, hash }) => write.run(position, previous, hash, name),
    rebuild: (projection) => {
      db.exec("BEGIN IMMEDIATE")
      try {
        for (const { name } of tables.all(`${projection.name}_*`)) db.exec(`DROP TABLE "${String(name)}"`)
        db.exec(projection.tables)
        reset.run(projection.name, projection.version, start.position, start.previous, start.hash)
        db.exec("COMMIT")
        return start
      } catch (cause) {
        if (db.isTransaction) db.exec("ROLLBACK")
        throw cause
      }
    }
  }
}
