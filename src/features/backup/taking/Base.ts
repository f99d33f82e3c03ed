/** The base of a backup of a log in SQLite: the file as of one moment, and the blobs that it names. */
import * as fs from "node:fs"
import * as path from "node:path"
import { Effect, Layer, Stream } from "effect"
import * as File from "#domain/file/File.ts"
import { SegmentSource } from "#streams/archive/SegmentSource.ts"
import { BlobStore, BlobStoreError } from "#streams/BlobStore.ts"
import { EventReader, EventStoreError } from "#streams/EventReader.ts"
import type { GlobalPosition } from "#streams/GlobalPosition.ts"
import * as OnlineBackup from "#streams/sqlite/OnlineBackup.ts"
import * as Database from "#streams/sqlite/Database.ts"
import * as SqliteEventReader from "#streams/sqlite/SqliteEventReader.ts"
import * as LogFiles from "#streams/sqlite/LogFiles.ts"
import * as SqliteVerify from "#streams/sqlite/SqliteVerify.ts"
import * as StreamName from "#streams/StreamName.ts"
import { Payloads } from "#streams/Payload.ts"
import * as TailRead from "#streams/TailRead.ts"
import type { Entry } from "../format/Inventories.ts"
import { type ArchivedSegment, beginning, type Moment } from "../format/Manifest.ts"
import * as Pieces from "../format/Pieces.ts"
import * as SqliteFiles from "../format/SqliteFiles.ts"
import * as NamedBlobs from "../NamedBlobs.ts"
import * as ArchivedSegments from "./ArchivedSegments.ts"
import * as CopiedBlobs from "./CopiedBlobs.ts"
import * as BackupBlobs from "../BackupBlobs.ts"

interface BaseOptions {
  /** The data directory. */
  readonly directory: string
  /** A folder that exists, for the copy. */
  readonly scratch: string
  readonly blobs: BlobStore["Service"]
  readonly pieces: BlobStore["Service"]
  readonly id: string
  /** The segments of archived events that the target has. */
  readonly known: ReadonlyArray<ArchivedSegment>
}

const failure = (cause: unknown) => new EventStoreError({ reason: "The log cannot be copied", cause })

const blobRows = (filename: string) =>
  Effect.try({
    try: () => {
      const db = Database.open({ filename, readOnly: true, synchronous: "FULL" })
      try {
        const rows = db
          .prepare("SELECT stream, blob FROM payloads WHERE blob IS NOT NULL ORDER BY rowid")
          .all()
        return rows.map(({ blob, stream }) => ({
          stream: StreamName.trusted(String(stream)),
          key: String(blob)
        }))
      } finally {
        db.close()
      }
    },
    catch: failure
  })

/** Copies the blobs that the copy of the log names. */
const copyBlobs = Effect.fnUntraced(function* (
  { blobs, pieces }: BaseOptions,
  copy: string,
  end: GlobalPosition
) {
  const reader = yield* EventReader
  const entries: Array<Entry> = []
  let missing = 0
  const options = { from: blobs, to: pieces }
  const add = (stream: StreamName.StreamName, blob: NamedBlobs.NamedBlob) =>
    Effect.map(CopiedBlobs.copy(options, stream, blob), (entry) => {
      if (entry === null) missing++
      else entries.push(entry)
    })
  yield* Effect.forEach(
    yield* blobRows(copy),
    ({ key, stream }) => add(stream, { key, object: BackupBlobs.objectOf(key) }),
    { concurrency: CopiedBlobs.concurrency, discard: true }
  )
  const events = reader.readCategories?.([File.aggregate.category], end) ?? Stream.empty
  yield* Stream.runForEach(events, (event) =>
    Effect.flatMap(NamedBlobs.of(blobs, { event, payloads: [] }), (named) =>
      Effect.forEach(named, (blob) => add(event.stream, blob), { discard: true })
    )
  )
  return { entries, missing }
})

const copyHead = (from: string, to: string) =>
  Effect.try({
    try: () => {
      if (fs.existsSync(from)) fs.copyFileSync(from, to)
    },
    catch: failure
  })

/** The end of a verified log. */
const momentOf = Effect.fnUntraced(function* (verified: {
  readonly position: GlobalPosition
  readonly digest: string
  readonly events: number
}) {
  const { digest, events, position } = verified
  const [last] = yield* TailRead.last({ end: position, limit: 1, matches: () => true })
  if (last === undefined) return beginning
  return { position, digest, events, hash: last.hash, time: last.time } satisfies Moment
})

/**
 * Copies the log beside its server, verifies the copy with the blobs at the target, and writes it. `log.head` is copied
 * first, so that it is never ahead of the copy.
 */
export const take = Effect.fn("Base.take")(function* (options: BaseOptions) {
  const { directory, id, known, pieces, scratch } = options
  const source = LogFiles.files(directory)
  const folder = path.join(scratch, "base")
  yield* Effect.try({
    try: () => fs.mkdirSync(folder, { mode: 0o700 }),
    catch: (cause) => new BlobStoreError({ reason: "a temporary folder cannot be created", cause })
  })
  const copy = LogFiles.files(folder)
  yield* copyHead(source.head, copy.head)
  yield* OnlineBackup.make({ source: source.log, target: copy.log, read: () => undefined, failure })
  const taken = yield* Effect.gen(function* () {
    const head = yield* (yield* EventReader).head
    const copied = yield* copyBlobs(options, copy.log, head)
    const archive = yield* ArchivedSegments.copy({ pieces, directory, known, end: head, looks: true })
    const isOld = (segment: ArchivedSegment) => !archive.copied.includes(segment)
    yield* Effect.forEach(archive.all.filter(isOld), (segment) => Pieces.check(pieces, segment))
    const verified = yield* SqliteVerify.verifyDirectory(folder).pipe(
      Effect.provide(
        Payloads.layer.pipe(Layer.provide(Layer.succeed(BlobStore, BackupBlobs.reading(pieces))))
      )
    )
    return { ...copied, archive, end: yield* momentOf(verified), verified }
  }).pipe(
    Effect.provide(SqliteEventReader.layer({ filename: copy.log })),
    Effect.provideServiceEffect(SegmentSource, ArchivedSegments.sourceOf(directory))
  )
  const file = yield* SqliteFiles.put(pieces, `base/${taken.end.position}-${id}`, copy.log)
  yield* Effect.sync(() => fs.rmSync(folder, { recursive: true, force: true }))
  return { ...taken, base: { ...file, end: taken.end } }
}, Effect.scoped)
