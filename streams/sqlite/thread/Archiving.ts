/**
 * Moves the events of one archived frame out of the tables, in one transaction: the frame, the end of the archived beginning of each
 * of its streams, and the deletion of the rows. A frame that was moved before changes nothing.
 */
import type { DatabaseSync } from "node:sqlite"
import * as Schema from "../Schema.ts"
import * as Tables from "../archive/Tables.ts"
import type { ArchiveFrame } from "./Protocol.ts"

/** Pages that are given back to the disk after a frame, if the file can shrink. */
const vacuumPages = 512

/** Throws what SQLite throws, and when the rows are not the frame's; then nothing has changed. */
export const run = (db: DatabaseSync, { frame, rows, segment }: ArchiveFrame): void => {
  Schema.addArchive(db)
  db.exec("BEGIN IMMEDIATE")
  try {
    move(db, { frame, rows, segment })
    db.exec("COMMIT")
  } catch (cause) {
    if (db.isTransaction) db.exec("ROLLBACK")
    throw cause
  }
  db.prepare(`PRAGMA incremental_vacuum(${vacuumPages})`).all()
}

const move = (db: DatabaseSync, { frame, rows, segment }: ArchiveFrame) => {
  const { digest, frames, key, location } = segment
  db.prepare("INSERT OR IGNORE INTO segments (digest, key, location, frames) VALUES (?, ?, ?, ?)").run(
    digest,
    key,
    location,
    frames
  )
  const id = Number(db.prepare("SELECT id FROM segments WHERE digest = ?").get(digest)?.["id"])
  const known = db.prepare('SELECT 1 FROM frames WHERE segment = ? AND "offset" = ?')
  if (known.get(id, frame.offset) !== undefined) return
  const { lastInsertRowid } = db
    .prepare(
      `INSERT INTO frames (segment, "offset", length, digest, first, last, events) VALUES (?, ?, ?, ?, ?, ?, ?)`
    )
    .run(id, frame.offset, frame.length, frame.digest, frame.first, frame.last, frame.events)
  const tails = tailsOf(db, rows, Number(lastInsertRowid))
  const save = db.prepare(
    "INSERT OR REPLACE INTO archived (stream, ordinal, hash, frames) VALUES (?, ?, ?, ?)"
  )
  for (const [stream, { frames, hash, ordinal }] of tails)
    save.run(stream, ordinal, hash, JSON.stringify(frames))
  const remove = db.prepare(
    "DELETE FROM events WHERE position = ? AND stream = ? AND ordinal = ? AND hash = ?"
  )
  for (const { hash, ordinal, position, stream } of rows) {
    if (remove.run(position, stream, ordinal, hash).changes !== 1)
      throw new Error(`the log has another event at position ${position} than the segment`)
  }
}

interface ArchivedTail {
  readonly ordinal: number
  readonly hash: string
  readonly frames: ReadonlyArray<number>
}

/** The archived end of each stream with this frame. Its events must follow on those that were archived before. */
const tailsOf = (db: DatabaseSync, rows: ArchiveFrame["rows"], frame: number) => {
  const find = db.prepare("SELECT ordinal, frames FROM archived WHERE stream = ?")
  const tails = new Map<string, ArchivedTail>()
  for (const { hash, ordinal, position, stream } of rows) {
    const stored = tails.has(stream) ? undefined : find.get(stream)
    const before =
      tails.get(stream) ??
      (stored && {
        ordinal: Number(stored["ordinal"]),
        frames: [...Tables.framesOf(String(stored["frames"])), frame]
      })
    if (ordinal !== (before?.ordinal ?? -1) + 1)
      throw new Error(`the event at position ${position} does not follow on what was archived of its stream`)
    tails.set(stream, { ordinal, hash, frames: before?.frames ?? [frame] })
  }
  return tails
}
