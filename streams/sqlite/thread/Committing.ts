/**
 * The log's writer in its thread. A conflict fails only its own append. A failed transaction acknowledges none of its
 * appends.
 */
import type { DatabaseSync } from "node:sqlite"
import type { Commit } from "../../AppendObserver.ts"
import * as EventChain from "../../EventChain.ts"
import type { Head, LogHead } from "../../LogHead.ts"
import * as DiskError from "../DiskError.ts"
import * as SqliteFailure from "../SqliteFailure.ts"
import type { AppendRows, ArchiveFrame, FromThread, Rejected, Result, ToThread } from "./Protocol.ts"
import * as Archiving from "./Archiving.ts"
import * as Checkpoints from "./Checkpoints.ts"
import * as Transaction from "./Transaction.ts"
import * as WalTruncation from "./WalTruncation.ts"

export interface Options {
  readonly db: DatabaseSync
  readonly filename: string
  /** The log's end. */
  readonly head: Head
  readonly logHead: LogHead
  readonly isTruncationOwed: boolean
  readonly send: (message: FromThread) => void
}

const rejected = (failure: SqliteFailure.SqliteFailure): Rejected => ({ _tag: "Rejected", failure })

export const make = ({
  db,
  filename,
  head: start,
  isTruncationOwed,
  logHead,
  send
}: Options): ((message: ToThread) => void) => {
  const transaction = Transaction.make(db)
  const truncation = WalTruncation.make(db, isTruncationOwed)
  const checkpoints = Checkpoints.make(db, filename)
  let head = start
  let hasFailed = false

  const fail = (cause: unknown) => {
    hasFailed = true
    const reason = `${SqliteFailure.reasons.fatal}: ${DiskError.describe(cause, filename)}`
    send({ _tag: "Failed", reason })
  }

  /** Written after the commit, so that `log.head` is never ahead of the log. */
  const advance = (results: ReadonlyArray<Result>) => {
    const hashes = results.flatMap((result) => (result._tag === "Written" ? result.hashes : []))
    if (hashes.length === 0) return 0
    const digest = hashes.reduce((digest, hash) => EventChain.digest(digest, hash), head.digest)
    head = { sequence: head.sequence + hashes.length, digest }
    logHead.write(head)
    return hashes.length
  }

  const attempt = (
    batch: ReadonlyArray<AppendRows>,
    trusting: boolean,
    commits: Array<Commit>
  ): ReadonlyArray<Result> => {
    if (hasFailed) return batch.map(() => rejected("fatal"))
    try {
      const began = performance.now()
      const { hasErased, results } = transaction.commit(batch, { after: head.sequence, trusting })
      const durationMs = performance.now() - began
      if (hasErased) truncation.owe()
      const events = advance(results)
      if (events > 0) commits.push({ appends: batch.length, events, durationMs })
      return results
    } catch (cause) {
      const failure = transaction.undo(batch) ? DiskError.classify(cause, filename, sizeOf(batch)) : "fatal"
      if (failure === "constraint" && trusting) return attempt(batch, false, commits)
      if (failure === "constraint" && batch.length > 1)
        return batch.flatMap((append) => attempt([append], false, commits))
      // After a failed fsync, the content of the disk is unknown. Only a restart, which reads the file again, can tell.
      if (failure === "fatal") fail(cause)
      return batch.map(() => rejected(failure))
    }
  }

  /** Runs work that does not belong to a batch. */
  const upkeep = (work: () => void) => {
    if (hasFailed) return
    try {
      work()
    } catch (cause) {
      fail(cause)
    }
  }

  const settle = () => {
    checkpoints.retry()
    try {
      truncation.settle()
    } catch (cause) {
      // The truncation is tried again later.
      if (!Checkpoints.isHarmless(cause)) throw cause
    }
  }

  const append = (batch: ReadonlyArray<AppendRows>) => {
    const commits: Array<Commit> = []
    const results = checkpoints.isExhausted()
      ? batch.map(() => rejected("blocked"))
      : attempt(batch, true, commits)
    send({ _tag: "Appended", results, commits, head })
    if (commits.length > 0) upkeep(checkpoints.afterCommit)
  }

  const archive = (archived: ArchiveFrame): string | null => {
    if (hasFailed) return SqliteFailure.reasons.fatal
    if (checkpoints.isExhausted()) return SqliteFailure.reasons.blocked
    try {
      Archiving.run(db, archived)
    } catch (cause) {
      const failure =
        SqliteFailure.codeOf(cause) === undefined ? null : DiskError.classify(cause, filename, 0)
      if (failure === "fatal") fail(cause)
      return failure === null
        ? cause instanceof Error
          ? cause.message
          : "unknown"
        : SqliteFailure.reasons[failure]
    } finally {
      upkeep(transaction.afterArchiving)
    }
    upkeep(checkpoints.afterCommit)
    // A truncated WAL also lets the file shrink.
    truncation.owe()
    return null
  }

  return (message) => {
    switch (message._tag) {
      case "Archive":
        return send({ _tag: "Archived", failure: archive(message.archived) })
      case "Append":
        return append(message.batch)
      case "Settle":
        upkeep(settle)
        return send({ _tag: "Settled", wal: checkpoints.wal() })
      case "Close":
        return upkeep(settle)
    }
  }
}

/** The characters of the texts, which are most of what a batch writes. */
const sizeOf = (batch: ReadonlyArray<AppendRows>): number =>
  batch.reduce(
    (sum, { events, payloads }) =>
      sum +
      events.reduce((sum, { text }) => sum + text.length, 0) +
      payloads.reduce((sum, { content }) => sum + (content._tag === "Inline" ? content.text.length : 0), 0),
    0
  )
