/** `Verify` for a data directory, also beside a running server: the chain, `log.head`, and what SQLite knows of itself. */
import type { DatabaseSync } from "node:sqlite"
import { Effect } from "effect"
import type { BlobStoreError } from "../BlobStore.ts"
import type { EventReader, EventStoreError } from "../EventReader.ts"
import * as HeadAnchor from "../HeadAnchor.ts"
import type { Payloads } from "../Payload.ts"
import { type Anchor, LogBroken, verify, type Verified, type VerifyOptions } from "../Verify.ts"
import * as Database from "./Database.ts"
import * as PayloadReadAhead from "./PayloadReadAhead.ts"
import * as Reads from "./Reads.ts"
import { files } from "./SqliteEventStore.ts"

/** What `log.head` says now; none when the file is not there. */
export const headAnchor = (directory: string): Effect.Effect<ReadonlyArray<Anchor>, LogBroken> =>
  HeadAnchor.read(files(directory).head)

const broken = new LogBroken({ position: "0", reason: "the database file is damaged (integrity_check)" })

/** The file once more, beside the reader's connection. */
const openDatabase = (directory: string) =>
  Effect.acquireRelease(
    Effect.try({
      try: () => Database.open({ filename: files(directory).log, readOnly: true, synchronous: "FULL" }),
      catch: () => broken
    }),
    (db) => Effect.sync(() => db.close())
  )

/** Finds what the chain cannot see: indexes that disagree with their tables. */
const checkIntegrity = (db: DatabaseSync): Effect.Effect<void, LogBroken> =>
  Effect.try({
    try: () => Object.values(db.prepare("PRAGMA integrity_check(1)").get() ?? {})[0],
    catch: () => broken
  }).pipe(Effect.flatMap((result) => (result === "ok" ? Effect.void : Effect.fail(broken))))

/** What cannot be read ahead is looked up, by the reader: it tells why it cannot. */
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

/** The head is read first, so that a server that goes on writing cannot make the log look short. */
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
    yield* checkIntegrity(db)
    return verified
  }, Effect.scoped)
