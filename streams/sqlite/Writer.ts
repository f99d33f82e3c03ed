/**
 * Group commit: the appends that come in during one turn of the event loop share one transaction and one fsync. A
 * conflict fails its own append; a transaction that fails acknowledges none of them.
 */
import type { DatabaseSync } from "node:sqlite"
import { Effect, Exit } from "effect"
import * as CanonicalJson from "#domain/CanonicalJson.ts"
import type { Commit } from "../AppendObserver.ts"
import * as EventChain from "../EventChain.ts"
import { EventStoreError } from "../EventReader.ts"
import type { Append, Appended, WrongExpectedVersion } from "../EventStore.ts"
import type { RecordedEvent } from "../RecordedEvent.ts"
import type { Head } from "../LogHead.ts"
import * as DiskFault from "./DiskFault.ts"
import type { Reads } from "./Reads.ts"
import * as SqliteFailure from "./SqliteFailure.ts"
import * as Transaction from "./Transaction.ts"
import * as WalTruncation from "./WalTruncation.ts"

type AppendError = WrongExpectedVersion | EventStoreError
type AppendExit = Exit.Exit<Appended, AppendError>

interface Pending extends Transaction.Prepared {
  readonly resume: (exit: AppendExit) => void
}

export interface Writer {
  readonly append: (append: Append) => Effect.Effect<Appended, AppendError>
  /**
   * Takes texts that were erased before it off the disk, also those that a process before it left there. While others
   * read the log that may have to wait for a later call; appends do not depend on it.
   */
  readonly clearErased: () => void
  /** Commits what is waiting and refuses what comes after. */
  readonly close: () => void
  /** Refuses everything from now on: what is committed cannot be relied on. */
  readonly fail: (error: EventStoreError) => void
}

export interface WriterOptions {
  readonly db: DatabaseSync
  readonly filename: string
  readonly reads: Reads
  readonly head: Head
  /** Called after each commit, before its appends are acknowledged. When it throws, they are not, and none follow. */
  readonly onCommit: (events: ReadonlyArray<RecordedEvent>, head: Head, commit: Commit) => void
  /** Called when it takes no more appends. */
  readonly onFailure: (error: EventStoreError) => void
}

export const make = ({ db, filename, reads, head: start, onCommit, onFailure }: WriterOptions): Writer => {
  const transaction = Transaction.make(db, reads)
  const truncation = WalTruncation.make(db)
  let head = start
  let waiting: Array<Pending> = []
  let closed: EventStoreError | undefined

  const advance = (written: ReadonlyArray<RecordedEvent>, commit: Commit) => {
    const digest = written.reduce((digest, event) => EventChain.digest(digest, event.hash), head.digest)
    head = { sequence: head.sequence + written.length, digest }
    onCommit(written, head, commit)
  }

  const fail = (error: EventStoreError) => {
    closed = error
    onFailure(error)
  }

  const fatal = (cause: unknown): EventStoreError => {
    const told = DiskFault.describe(cause, filename)
    const error = new EventStoreError({ reason: `${SqliteFailure.reasons.fatal}: ${told}`, cause })
    fail(error)
    return error
  }

  const refuse = (batch: ReadonlyArray<Pending>, error: EventStoreError) => batch.map(() => Exit.fail(error))

  const attempt = (batch: ReadonlyArray<Pending>, trusting: boolean): ReadonlyArray<AppendExit> => {
    if (closed !== undefined) return refuse(batch, closed)
    try {
      const began = performance.now()
      const { events, exits, hasErased } = transaction.commit(batch, { after: head.sequence, trusting })
      const durationMs = performance.now() - began
      if (hasErased) truncation.owe()
      if (events.length > 0) advance(events, { appends: batch.length, events: events.length, durationMs })
      return exits
    } catch (cause) {
      const failure = transaction.undo(batch) ? DiskFault.classify(cause, filename, sizeOf(batch)) : "fatal"
      if (failure === "constraint" && trusting) return attempt(batch, false)
      if (failure === "constraint" && batch.length > 1)
        return batch.flatMap((pending) => attempt([pending], false))
      // After a failed fsync nobody knows what is on disk: only a restart, which reads the file anew, can tell.
      if (failure === "fatal") return refuse(batch, fatal(cause))
      return refuse(batch, new EventStoreError({ reason: SqliteFailure.reasons[failure], cause }))
    }
  }

  const flush = () => {
    const batch = waiting
    waiting = []
    const exits = attempt(batch, true)
    for (const [index, { resume }] of batch.entries())
      resume(exits[index] ?? Exit.die("no exit of an append"))
  }

  const clearErased = () => {
    if (closed !== undefined) return
    try {
      truncation.settle()
    } catch (cause) {
      // As after a commit: pages that could not be synced may be lost although a later checkpoint succeeds.
      if (DiskFault.classify(cause, filename, 0) === "fatal") fatal(cause)
    }
  }

  return {
    append: (append) =>
      Effect.callback((resume) => {
        const texts = append.events.map((event) => CanonicalJson.stringify(event.data))
        if (waiting.length === 0) setImmediate(flush)
        waiting.push({ append, texts, resume })
      }),
    clearErased,
    close: () => {
      flush()
      clearErased()
      closed = new EventStoreError({ reason: "The log is closed" })
    },
    fail
  }
}

/** Characters of its texts, which are most of what it writes. */
const sizeOf = (batch: ReadonlyArray<Pending>): number =>
  batch.reduce(
    (sum, { append, texts }) =>
      sum +
      texts.reduce((sum, text) => sum + text.length, 0) +
      (append.payloads ?? []).reduce(
        (sum, { content }) => sum + (content._tag === "Inline" ? content.text.length : 0),
        0
      ),
    0
  )
