/** `Verify` for a data directory, also beside a running server: the chain, `log.head`, and what SQLite knows of itself. */
import { Effect } from "effect"
import type { BlobStoreError } from "../BlobStore.ts"
import type { EventReader, EventStoreError } from "../EventReader.ts"
import type { Payloads } from "../Payload.ts"
import { type Anchor, LogBroken, verify, type Verified, type VerifyOptions } from "../Verify.ts"
import * as Database from "./Database.ts"
import * as LogHead from "./LogHead.ts"
import { files } from "./SqliteEventStore.ts"
import { position } from "./SqliteReading.ts"

/** What `log.head` says now; none when the file is not there. */
export const headAnchor = (directory: string): Effect.Effect<ReadonlyArray<Anchor>, LogBroken> =>
  Effect.try({
    try: () => LogHead.read(files(directory).head),
    catch: () => new LogBroken({ position: "0", reason: "log.head cannot be read" })
  }).pipe(
    Effect.map((head) =>
      head === undefined
        ? []
        : [{ source: "log.head", position: position(head.sequence), digest: head.digest }]
    )
  )

/** Finds what the chain cannot see: indexes that disagree with their tables. */
const checkIntegrity = (directory: string): Effect.Effect<void, LogBroken> =>
  Effect.suspend(() => {
    try {
      const db = Database.open({ filename: files(directory).log, readOnly: true, synchronous: "FULL" })
      try {
        const result = Object.values(db.prepare("PRAGMA integrity_check(1)").get() ?? {})[0]
        return result === "ok" ? Effect.void : Effect.fail(broken)
      } finally {
        db.close()
      }
    } catch {
      return Effect.fail(broken)
    }
  })

const broken = new LogBroken({ position: "0", reason: "the database file is damaged (integrity_check)" })

/** The head is read first, so that a server that goes on writing cannot make the log look short. */
export const verifyDirectory = (
  directory: string,
  options: VerifyOptions = {}
): Effect.Effect<Verified, LogBroken | EventStoreError | BlobStoreError, EventReader | Payloads> =>
  Effect.gen(function* () {
    const anchors = [...(yield* headAnchor(directory)), ...(options.anchors ?? [])]
    const verified = yield* verify({
      ...options,
      anchors,
      adjoins: (previous, next) => Number(next) === Number(previous) + 1
    })
    yield* checkIntegrity(directory)
    return verified
  })
