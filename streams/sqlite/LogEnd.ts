/** Where `log.sqlite` ends, held against what `log.head` says, before anything is opened for writing. */
import * as fs from "node:fs"
import { Effect, Schema } from "effect"
import type * as LogHead from "../LogHead.ts"
import { LogUnavailable } from "../LogUnavailable.ts"
import * as Database from "./Database.ts"
import * as Reads from "./Reads.ts"
import * as LogSchema from "./Schema.ts"

/** `log.head` knows of events that the database has not: acknowledged events are gone. */
export class LogTruncated extends Schema.TaggedError<LogTruncated>()("LogTruncated", {
  found: Schema.Int,
  expected: Schema.Int
}) {
  override get message(): string {
    return (
      `The log ends at position ${this.found}, but log.head says ${this.expected}: ` +
      `${this.expected - this.found} acknowledged events are missing. Restore log.sqlite and log.sqlite-wal from a copy, ` +
      `or go on without them: inferlog log accept-head`
    )
  }
}

/** Runs a read whose failure means that the log cannot be opened. */
export const readable = <A>(read: () => A): Effect.Effect<A, LogUnavailable> =>
  Effect.try({ try: read, catch: (cause) => new LogUnavailable({ reason: "The log cannot be read", cause }) })

const endOf = (filename: string): number => {
  const db = Database.open({ filename, readOnly: true, synchronous: "FULL" })
  try {
    LogSchema.check(db)
    return Reads.make(db).head()
  } finally {
    db.close()
  }
}

/** Sequence number of the last event; 0 when there is no file. */
export const find = (filename: string): Effect.Effect<number, LogUnavailable> =>
  readable(() => (fs.existsSync(filename) ? endOf(filename) : 0))

/**
 * Refuses a log that ends before `known`. It looks without writing: a connection that writes folds what SQLite still
 * reads of a damaged WAL into the database, and deletes the rest, which might have been saved.
 */
export const assertNotTruncated = Effect.fnUntraced(function* (filename: string, known: LogHead.Head) {
  if (known.sequence === 0) return
  const found = yield* find(filename)
  if (known.sequence > found) return yield* new LogTruncated({ found, expected: known.sequence })
})
