/** Compares the end of `log.sqlite` with `log.head` before anything is opened for writing. */
import * as fs from "node:fs"
import { Effect, Schema } from "effect"
import type * as LogHead from "../LogHead.ts"
import { LogUnavailable } from "../LogUnavailable.ts"
import * as Database from "./Database.ts"
import * as Reads from "./Reads.ts"
import * as LogSchema from "./Schema.ts"

/** `log.head` covers events that the database lacks: acknowledged events are missing. */
export class LogTruncated extends Schema.TaggedError<LogTruncated>()("LogTruncated", {
  found: Schema.Int,
  expected: Schema.Int
}) {
  override get message(): string {
    return (
      `The log ends at position ${this.found}, but log.head says ${this.expected}: ` +
      `${this.expected - this.found} acknowledged events are missing. Restore log.sqlite and log.sqlite-wal from a copy, ` +
      `or continue without them: inferlog log accept-head`
    )
  }
}

/** Runs a read whose failure means that the log cannot be opened. */
export const readable = <A>(read: () => A): Effect.Effect<A, LogUnavailable> =>
  Effect.try({ try: read, catch: (cause) => new LogUnavailable({ reason: "The log cannot be read", cause }) })

const reading = <A>(filename: string, read: (reads: Reads.Reads) => A): A => {
  const db = Database.open({ filename, readOnly: true, synchronous: "FULL" })
  try {
    LogSchema.check(db)
    return read(Reads.make(db))
  } finally {
    db.close()
  }
}

const endOf = (filename: string): number => reading(filename, (reads) => reads.head())

/** Unix time of the last event in ms; `null` when there is none. The file must exist. */
export const lastTime = (filename: string): Effect.Effect<number | null, LogUnavailable> =>
  readable(() => reading(filename, (reads) => reads.page(Math.max(reads.head() - 1, 0), 1)[0]?.time ?? null))

/** Sequence number of the last event. 0 when the file does not exist. */
export const find = (filename: string): Effect.Effect<number, LogUnavailable> =>
  readable(() => (fs.existsSync(filename) ? endOf(filename) : 0))

/**
 * Fails when the log ends before `known`. Reads only: a writing connection would copy what SQLite can still read of a
 * damaged WAL into the database and delete the rest, which might be recoverable.
 */
export const assertNotTruncated = Effect.fnUntraced(function* (filename: string, known: LogHead.Head) {
  if (known.sequence === 0) return
  const found = yield* find(filename)
  if (known.sequence > found) return yield* new LogTruncated({ found, expected: known.sequence })
})
