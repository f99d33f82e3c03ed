/** Writes the log of a backup to a new `log.sqlite`: the base, then the segments up to a moment. */
import * as fs from "node:fs"
import * as path from "node:path"
import type { DatabaseSync } from "node:sqlite"
import { Effect, Stream } from "effect"
import * as EventChain from "#streams/EventChain.ts"
import type { BlobStore } from "#streams/BlobStore.ts"
import type { CopiedEvent } from "#streams/copy/LogTarget.ts"
import * as GlobalPosition from "#streams/GlobalPosition.ts"
import * as Database from "#streams/sqlite/Database.ts"
import { EventReader, type EventStoreError } from "#streams/EventReader.ts"
import * as SqliteEventReader from "#streams/sqlite/SqliteEventReader.ts"
import * as LogSchema from "#streams/sqlite/Schema.ts"
import * as Tombstone from "#streams/Tombstone.ts"
import { LogUnavailable } from "#streams/LogUnavailable.ts"
import type { Generation, Manifest } from "../format/Manifest.ts"
import * as Pieces from "../format/Pieces.ts"
import * as SegmentLines from "../format/SegmentLines.ts"
import * as SqliteFiles from "../format/SqliteFiles.ts"
import type { RecordedEvent } from "#streams/RecordedEvent.ts"
import * as Commits from "./Commits.ts"
import * as LaterErasures from "./LaterErasures.ts"
import * as RestoredArchive from "./RestoredArchive.ts"
import * as Truncation from "./Truncation.ts"
import type { Until } from "./Until.ts"

interface Options {
  readonly pieces: BlobStore["Service"]
  readonly generation: Generation
  /** Has the generation, and possibly a newer one. */
  readonly manifest: Manifest
  readonly until: Until
  /** Must not exist. */
  readonly filename: string
  /** Whether to note positions of a log on NATS (`Commits`). */
  readonly keepsCommits: boolean
}

/** The log was on NATS, where positions count commits. */
export const isOfServers = ({ base }: Generation): boolean => base === null

const attempt = <A>(run: () => A): Effect.Effect<A, LogUnavailable> =>
  Effect.try({
    try: run,
    catch: (cause) => new LogUnavailable({ reason: "The log cannot be restored", cause })
  })

const open = (filename: string) =>
  Effect.acquireRelease(
    attempt(() => {
      const db = Database.open({ filename, synchronous: "NORMAL" })
      LogSchema.prepare(db)
      return db
    }),
    (db) => Effect.sync(() => db.close())
  )

const writer = (db: DatabaseSync, { generation, keepsCommits }: Options) => {
  const hasOwnPositions = !isOfServers(generation)
  const note = keepsCommits ? Commits.writer(db) : () => undefined
  const event = db.prepare("INSERT INTO events VALUES (?, ?, ?, ?, ?, ?, ?, ?)")
  const payload = db.prepare("INSERT INTO payloads VALUES (?, ?, ?, ?, ?, ?, ?)")
  const erase = db.prepare(
    "UPDATE payloads SET salt = '', hash = '', size = 0, text = NULL, blob = NULL WHERE stream = ? AND name = ?"
  )
  let last = Truncation.endOf(db)
  return ({
    event: { hash, id, ordinal, position, stream, text, time, type, data },
    payloads
  }: CopiedEvent) => {
    last = hasOwnPositions ? Number(position) : last + 1
    event.run(last, stream, ordinal, id, type, time, text, hash)
    note(last, position)
    for (const { content, hash, name, salt, size } of payloads) {
      const isInline = content._tag === "Inline"
      payload.run(
        stream,
        name,
        salt,
        hash,
        size,
        isInline ? content.text : null,
        isInline ? null : content.key
      )
    }
    for (const name of Tombstone.erasedBy({ type, data })) erase.run(stream, name)
  }
}

const isWithin = (until: Until, { event }: CopiedEvent): boolean => {
  switch (until._tag) {
    case "End":
      return true
    case "Position":
      return GlobalPosition.isReached(event.position, until.position)
    case "Time":
      return event.time <= until.time
  }
}

/** Returns the later erasures, which must be repeated on a log that ends before them. */
const applySegments = Effect.fnUntraced(function* (db: DatabaseSync, options: Options, isTruncated: boolean) {
  const { generation, pieces, until } = options
  const write = writer(db, options)
  const later: Array<RecordedEvent> = []
  let isOver = isTruncated
  for (const segment of generation.segments) {
    const events = yield* SegmentLines.parse(segment, yield* Pieces.readText(pieces, segment))
    yield* attempt(() => {
      db.exec("BEGIN")
      for (const copied of events) {
        isOver = isOver || !isWithin(until, copied)
        if (!isOver) write(copied)
        else if (LaterErasures.isErasing(copied.event)) later.push(copied.event)
      }
      db.exec("COMMIT")
    })
    yield* Effect.yieldNow
  }
  return later
})

/** The end of the log, and its digests at some positions. */
const digests = (filename: string, db: DatabaseSync, positions: ReadonlySet<number> = new Set()) => {
  const found = new Map<number, string>()
  let head = { sequence: 0, digest: EventChain.origin }
  const pass = (sequence: number, hash: string) => {
    head = { sequence, digest: EventChain.digest(head.digest, hash) }
    if (positions.has(sequence)) found.set(sequence, head.digest)
  }
  const rows = attempt(() => {
    for (const row of db.prepare("SELECT position, hash FROM events ORDER BY position").iterate())
      pass(Number(row["position"]), String(row["hash"]))
  })
  const events = Effect.flatMap(EventReader, (reader) =>
    Stream.runForEach(reader.readAll(GlobalPosition.beginning), ({ hash, position }) =>
      Effect.sync(() => pass(Number(position), hash))
    )
  ).pipe(Effect.provide(SqliteEventReader.layer({ filename })))
  const isArchived = attempt(() => LogSchema.hasArchive(db)())
  return Effect.flatMap(isArchived, (some): Effect.Effect<void, LogUnavailable | EventStoreError> =>
    some ? events : rows
  ).pipe(Effect.map(() => ({ found, head })))
}

/**
 * Durable when it returns. Returns the end in positions of the backup, or of SQLite if it keeps no commits; the head of the
 * log; and the number of later erasures on it.
 */
export const write = Effect.fn("RestoredLog.write")(function* (options: Options) {
  const { filename, generation, keepsCommits, manifest, pieces, until } = options
  if (generation.base !== null) yield* SqliteFiles.unpack(pieces, generation.base, filename)
  const db = yield* open(filename)
  const directory = path.dirname(filename)
  const archive = yield* RestoredArchive.write(pieces, generation, directory)
  if (until._tag !== "End" && LogSchema.hasArchive(db)())
    yield* attempt(() => RestoredArchive.unarchive(db, directory, archive))
  const removed = yield* attempt(() => Truncation.truncate(db, until, LaterErasures.isErasing))
  const later = yield* applySegments(db, options, removed !== null)
  const moments = [generation.base, ...generation.segments].flatMap((piece) =>
    piece === null ? [] : [piece]
  )
  const positionOf = ({ end }: (typeof moments)[number]) =>
    isOfServers(generation) ? end.events : Number(end.position)
  yield* attempt(() => RestoredArchive.point(db, directory, archive))
  const { found, head: end } = yield* digests(filename, db, new Set(moments.map(positionOf)))
  const wrong = moments.find((moment) => {
    const digest = found.get(positionOf(moment))
    return digest !== undefined && digest !== moment.end.digest
  })
  if (wrong !== undefined) return yield* Pieces.mismatch(wrong)
  const newer = yield* LaterErasures.inNewest(pieces, manifest, {
    generation,
    after: end.sequence,
    scratch: `${filename}.newest`
  })
  const erasedAgain = yield* attempt(() =>
    Truncation.eraseAgain(db, [...(removed ?? []), ...later, ...newer])
  )
  const { head } = erasedAgain === 0 ? { head: end } : yield* digests(filename, db)
  if (keepsCommits) yield* attempt(() => Commits.number(db, end.sequence))
  yield* attempt(() => {
    db.exec("PRAGMA wal_checkpoint(TRUNCATE)")
    const fd = fs.openSync(filename, "r")
    fs.fsyncSync(fd)
    fs.closeSync(fd)
  })
  const position = keepsCommits
    ? yield* attempt(() => Commits.translator(db)(end.sequence))
    : GlobalPosition.trusted(String(end.sequence))
  return { end: { position, digest: end.digest }, head, erasedAgain }
}, Effect.scoped)
