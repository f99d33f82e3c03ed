/** The places of a log's segments. The database has them, because segments may be moved. */
import type { DatabaseSync } from "node:sqlite"
import { EventStoreError } from "../../EventReader.ts"
import type { SegmentPlace } from "../../archive/SegmentSource.ts"
import { Effect } from "effect"
import * as Database from "../Database.ts"
import * as LogSchema from "../Schema.ts"
import * as Tables from "./Tables.ts"

/** By digest. Lacks segments whose events are still in the database: these are where their event on the log says. */
export const read = (filename: string): Effect.Effect<ReadonlyMap<string, SegmentPlace>, EventStoreError> =>
  Effect.try({
    try: () => {
      const db = Database.open({ filename, readOnly: true, synchronous: "FULL" })
      try {
        LogSchema.check(db)
        return new Map(
          Tables.make(db)()
            .segments()
            .map((segment) => [segment.digest, segment])
        )
      } finally {
        db.close()
      }
    },
    catch: (cause) => new EventStoreError({ reason: "The log cannot be read", cause })
  })

export interface Placed {
  readonly digest: string
  readonly key: string
  /** The number of its frames. */
  readonly frames: number
}

/** Records the new location of these segments, in one transaction. No other connection may write. */
export const write = (db: DatabaseSync, segments: ReadonlyArray<Placed>, location: string): void => {
  if (segments.length === 0) return
  LogSchema.addArchive(db)
  const save = db.prepare(
    `INSERT INTO segments (digest, key, location, frames) VALUES (?, ?, ?, ?)
      ON CONFLICT (digest) DO UPDATE SET location = excluded.location`
  )
  db.exec("BEGIN IMMEDIATE")
  try {
    for (const { digest, frames, key } of segments) save.run(digest, key, location, frames)
    db.exec("COMMIT")
  } catch (cause) {
    if (db.isTransaction) db.exec("ROLLBACK")
    throw cause
  }
}
