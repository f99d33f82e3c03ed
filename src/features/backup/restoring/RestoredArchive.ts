/** Writes the segments of a backup to the folder `archive` of a restored data directory, and tells the restored log about them. */
import * as fs from "node:fs"
import * as path from "node:path"
import type { DatabaseSync } from "node:sqlite"
import { Context, Effect, Layer } from "effect"
import * as LocalSegments from "#streams/archive/LocalSegments.ts"
import * as Segment from "#streams/archive/Segment.ts"
import { BlobStore } from "#streams/BlobStore.ts"
import * as FileBlobStore from "#streams/FileBlobStore.ts"
import * as Places from "#streams/sqlite/archive/Places.ts"
import * as Tables from "#streams/sqlite/archive/Tables.ts"
import type { Generation } from "../format/Manifest.ts"
import * as Pieces from "../format/Pieces.ts"

/** Returns the segments as the database of the log names them. */
export const write = Effect.fn("RestoredArchive.write")(function* (
  pieces: BlobStore["Service"],
  { archive = [] }: Generation,
  directory: string
) {
  if (archive.length === 0) return []
  const root = LocalSegments.folderIn(directory)
  const context = yield* Layer.build(FileBlobStore.layer({ root, isShared: true }))
  const blobs = Context.get(context, BlobStore)
  return yield* Effect.forEach(
    archive,
    Effect.fnUntraced(function* (piece) {
      const bytes = yield* Pieces.read(pieces, piece)
      const index = Segment.indexOf(bytes)
      if (index === null) return yield* Pieces.mismatch(piece)
      yield* blobs.put(piece.name, bytes)
      return { digest: piece.sha256, key: piece.name, frames: index.frames.length } satisfies Places.Placed
    })
  )
})

/** The segments that the log has. A restore to an earlier moment may need fewer than the backup has: their files are removed. */
export const point = (db: DatabaseSync, directory: string, written: ReadonlyArray<Places.Placed>): void => {
  const named = db.prepare("SELECT 1 FROM events WHERE type = 'EventsArchived' AND data ->> 'digest' = ?")
  const isNamed = ({ digest }: Places.Placed) => named.get(digest) !== undefined
  Places.write(db, written.filter(isNamed), LocalSegments.location)
  for (const { key } of written.filter((segment) => !isNamed(segment)))
    fs.rmSync(path.join(LocalSegments.folderIn(directory), key))
}

/** Makes rows of all archived events again, for a log that is to end earlier. Reads the written segments. Throws on a damaged one. */
export const unarchive = (
  db: DatabaseSync,
  directory: string,
  written: ReadonlyArray<Places.Placed>
): void => {
  const tables = Tables.make(db)()
  const insert = db.prepare("INSERT INTO events VALUES (?, ?, ?, ?, ?, ?, ?, ?)")
  for (const { digest, key } of written) {
    const frames = tables.ofSegment(digest)
    const bytes =
      frames.length === 0 ? null : fs.readFileSync(path.join(LocalSegments.folderIn(directory), key))
    db.exec("BEGIN")
    for (const frame of frames) {
      const { length, offset } = frame
      const events = Segment.decode(bytes?.subarray(offset, offset + length) ?? Buffer.alloc(0), frame)
      for (const { hash, id, ordinal, position, stream, text, time, type } of events)
        insert.run(Number(position), stream, ordinal, id, type, time, text, hash)
    }
    db.exec("COMMIT")
  }
  db.exec("BEGIN; DELETE FROM archived; DELETE FROM frames; DELETE FROM segments; COMMIT")
}
