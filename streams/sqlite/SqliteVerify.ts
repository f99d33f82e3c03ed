/** `Verify` for a data directory, also beside a running server: the chain, `log.head`, archived segments, and SQLite's integrity check. */
import type { DatabaseSync } from "node:sqlite"
import { Effect } from "effect"
import type { BlobStoreError } from "../BlobStore.ts"
import type { EventReader, EventStoreError } from "../EventReader.ts"
import * as HeadAnchor from "../HeadAnchor.ts"
import type { Payloads } from "../Payload.ts"
import { type Anchor, LogBroken, verify, type Verified, type VerifyOptions } from "../Verify.ts"
import * as ArchiveVerify from "./archive/ArchiveVerify.ts"
import * as Database from "./Database.ts"
import * as PayloadReadAhead from "./PayloadReadAhead.ts"
import * as Reads from "./Reads.ts"
import { files } from "./LogFiles.ts"

/** The current head in `log.head`. Empty when the file does not exist. */
export const headAnchor = (directory: string): Effect.Effect<ReadonlyArray<Anchor>, LogBroken> =>
  HeadAnchor.read(files(directory).head)

const broken = new LogBroken({ position: "0", reason: "the database file is damaged (integrity_check)" })

/** A second connection beside the reader's. */
const openDatabase = (directory: string) =>
  Effect.acquireRelease(
    Effect.try({
      try: () => Database.open({ filename: files(directory).log, readOnly: true, synchronous: "FULL" }),
      catch: () => broken
    }),
    (db) => Effect.sync(() => db.close())
  )

/** Finds what the chain cannot: indexes that disagree with their tables. */
const checkIntegrity = (db: DatabaseSync): Effect.Effect<void, LogBroken> =>
  Effect.try({
    try: () => Object.values(db.prepare("PRAGMA integrity_check(1)").get() ?? {})[0],
    catch: () => broken
  }).pipe(Effect.flatMap((result) => (result === "ok" ? Effect.void : Effect.fail(broken))))

/** Records that cannot be read ahead are looked up by the reader, which reports the error. */
const payloadReadAhead = (db: DatabaseSync): VerifyOptions["readAhead"] => {
  try {
    const ahead = PayloadReadAhead.make(Reads.make(db))
    return (stream, name) => {
      try {
        return ahead(stream, name)
      } catch {
        return undefined
      }
    }
  } catch {
    return undefined
  }
}

/**
 * The head is read first, so that the log of a running server never looks too short. A verification that does not begin at the
 * first event leaves out what reads the whole file: SQLite's integrity check, and segments that were named before.
 */
export const verifyDirectory: <E = never>(
  directory: string,
  options?: VerifyOptions<E>
) => Effect.Effect<Verified, LogBroken | EventStoreError | BlobStoreError | E, EventReader | Payloads> =
  Effect.fnUntraced(function* <E>(directory: string, options: VerifyOptions<E> = {}) {
    const anchors = [...(yield* headAnchor(directory)), ...(options.anchors ?? [])]
    const db = yield* openDatabase(directory)
    const readAhead = payloadReadAhead(db)
    const verified = yield* verify({
      ...options,
      ...(readAhead && { readAhead }),
      anchors,
      adjoins: (previous, next) => Number(next) === Number(previous) + 1
    })
    yield* ArchiveVerify.verify(db, options.from?.position)
    if (options.from === undefined) yield* checkIntegrity(db)
    return verified
  }, Effect.scoped)
