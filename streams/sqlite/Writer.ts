/**
 * Group commit: appends that arrive in successive turns of the event loop, or while a commit is on its way to the disk, share
 * one transaction and one fsync. A thread does both; appends are acknowledged here.
 */
import { Effect, Exit } from "effect"
import * as CanonicalJson from "#domain/CanonicalJson.ts"
import type { Commit } from "../AppendObserver.ts"
import { EventStoreError } from "../EventReader.ts"
import { type Append, type AppendError, type Appended, WrongExpectedVersion } from "../EventStore.ts"
import { trustedVersion } from "../ExpectedVersion.ts"
import * as GlobalPosition from "../GlobalPosition.ts"
import type { Head } from "../LogHead.ts"
import { RecordedEvent } from "../RecordedEvent.ts"
import type { Wal } from "../WalObserver.ts"
import * as SqliteFailure from "./SqliteFailure.ts"
import type { AppendRows, ArchiveFrame, FromThread, Result, Written } from "./thread/Protocol.ts"
import type * as WriterThread from "./WriterThread.ts"

type AppendExit = Exit.Exit<Appended, AppendError>

interface Pending {
  readonly append: Append
  readonly rows: AppendRows
  readonly onEnd: (exit: AppendExit) => void
}

export interface Writer {
  readonly append: (append: Append) => Effect.Effect<Appended, AppendError>
  /** `append` for callers that have no fiber. `onEnd` is called once, after this has returned. */
  readonly send: (append: Append, onEnd: (exit: AppendExit) => void) => void
  /** Moves the events of a frame of a durable segment out of the tables, between two batches. One frame at a time. */
  readonly archive: (frame: ArchiveFrame) => Effect.Effect<void, EventStoreError>
  /**
   * Wipes erased texts from the disk, syncs `log.head` and checks the WAL. Wiping may have to wait for a later call while
   * the log has readers. Appends do not depend on this.
   */
  readonly settle: () => void
  /** Commits waiting appends, rejects later ones, and ends the thread. */
  readonly close: Effect.Effect<void>
  /** Rejects everything from now on, because what was committed is not reliable. */
  readonly fail: (error: EventStoreError) => void
}

export interface WriterOptions {
  readonly open: WriterThread.Open
  /** Called after each committed batch, before its appends are acknowledged. */
  readonly onCommit: (
    events: ReadonlyArray<RecordedEvent>,
    head: Head,
    commits: ReadonlyArray<Commit>
  ) => void
  /** Called after each `settle`. */
  readonly onSettled: (wal: Wal) => void
  /** Called when the writer takes no more appends. */
  readonly onFailure: (error: EventStoreError) => void
  /**
   * The longest time for which a batch waits to become as large as the last one, ms. A commit costs as much as several appends,
   * so larger batches make a busy server faster. A single client's batches have one append and wait for nothing.
   */
  readonly gatherMs?: number
}

export const make = ({ gatherMs = 1, open, onCommit, onSettled, onFailure }: WriterOptions): Writer => {
  let waiting: Array<Pending> = []
  /** Batches sent to the thread, oldest first: one, and another one while the log closes. */
  const underWay: Array<ReadonlyArray<Pending>> = []
  let isScheduled = false
  /** Node's own, because no time of the domain passes. */
  let timer: NodeJS.Timeout | undefined
  /** The appends of the last batch. Their callers may soon have more: a client its next request, a run its next event. */
  let expected = 0
  let isSettling = false
  let onArchived: ((error: EventStoreError | undefined) => void) | undefined
  let closed: EventStoreError | undefined

  const endArchive = (error: EventStoreError | undefined) => {
    const resume = onArchived
    onArchived = undefined
    resume?.(error)
  }

  const end = (batch: ReadonlyArray<Pending>, exitOf: (index: number) => AppendExit) => {
    for (const [index, { onEnd }] of batch.entries()) onEnd(exitOf(index))
  }

  const fail = (error: EventStoreError) => {
    if (closed !== undefined) return
    closed = error
    onFailure(error)
    endArchive(error)
    for (const batch of underWay.splice(0)) end(batch, () => Exit.fail(error))
    post()
  }

  const exitOf = ({ append: { stream } }: Pending, result: Result): AppendExit => {
    switch (result._tag) {
      case "Written":
        return Exit.succeed(appendedOf(result))
      case "Conflict":
        return Exit.fail(new WrongExpectedVersion({ stream }))
      case "Rejected":
        return Exit.fail(new EventStoreError({ reason: SqliteFailure.reasons[result.failure] }))
    }
  }

  const appended = ({ commits, head, results }: Extract<FromThread, { readonly _tag: "Appended" }>) => {
    const batch = underWay.shift()
    // Its callers have already been told that it failed.
    if (batch === undefined) return
    const exits = batch.map((pending, index) => exitOf(pending, results[index] ?? unanswered))
    const events = batch.flatMap(({ append, rows }, index) => eventsOf(append, rows, results[index]))
    if (events.length > 0) onCommit(events, head, commits)
    expected = batch.length
    gather()
    end(batch, (index) => exits[index] ?? Exit.die("no exit of an append"))
  }

  const thread = open({
    onMessage: (message) => {
      switch (message._tag) {
        case "Appended":
          return appended(message)
        case "Archived":
          return endArchive(
            message.failure === null ? undefined : new EventStoreError({ reason: message.failure })
          )
        case "Settled":
          isSettling = false
          return onSettled(message.wal)
        case "Failed":
          return fail(new EventStoreError({ reason: message.reason }))
      }
    },
    onDeath: (reason) =>
      fail(
        new EventStoreError({ reason: `The log's writing thread ended, and the log is closed: ${reason}` })
      )
  })

  const post = () => {
    isScheduled = false
    clearTimeout(timer)
    timer = undefined
    const batch = waiting
    if (batch.length === 0) return
    waiting = []
    const error = closed
    if (error !== undefined) return end(batch, () => Exit.fail(error))
    underWay.push(batch)
    thread.post({ _tag: "Append", batch: batch.map(({ rows }) => rows) })
  }

  /** Posts at the end of the turn when as many appends wait as the last batch had, else a little later. */
  const gather = () => {
    if (waiting.length === 0 || underWay.length > 0 || isScheduled) return
    if (waiting.length >= expected) {
      isScheduled = true
      clearTimeout(timer)
      timer = undefined
      setImmediate(post)
    } else timer ??= setTimeout(post, gatherMs)
  }

  const send: Writer["send"] = (append, onEnd) => {
    waiting.push({ append, rows: rowsOf(append), onEnd })
    gather()
  }

  return {
    append: (append) => Effect.callback((resume) => send(append, resume)),
    send,
    archive: (archived) =>
      Effect.callback((resume) => {
        if (closed !== undefined) return resume(Effect.fail(closed))
        onArchived = (error) => resume(error === undefined ? Effect.void : Effect.fail(error))
        thread.post({ _tag: "Archive", archived })
      }),
    settle: () => {
      if (closed !== undefined || isSettling || !thread.isUsed()) return
      isSettling = true
      thread.post({ _tag: "Settle" })
    },
    close: Effect.callback((resume) => {
      post()
      thread.close(() => {
        fail(new EventStoreError({ reason: "The log is closed" }))
        resume(Effect.void)
      })
    }),
    fail
  }
}

const unanswered: Result = { _tag: "Rejected", failure: "fatal" }

const rowsOf = ({ erases = [], events, expected, payloads = [], stream }: Append): AppendRows => ({
  stream,
  expected,
  events: events.map(({ data, id, time, type }) => ({ id, type, time, text: CanonicalJson.stringify(data) })),
  payloads,
  erases
})

const appendedOf = ({ hashes, ordinal, sequence }: Written): Appended => ({
  version: trustedVersion(String(ordinal + hashes.length - 1)),
  position: GlobalPosition.trusted(String(sequence + hashes.length - 1))
})

const eventsOf = (append: Append, rows: AppendRows, result: Result | undefined): Array<RecordedEvent> => {
  if (result?._tag !== "Written") return []
  return append.events.map(({ data, id, time, type }, index) => {
    const ordinal = result.ordinal + index
    const fields = {
      position: GlobalPosition.trusted(String(result.sequence + index)),
      stream: append.stream,
      ordinal,
      version: trustedVersion(String(ordinal)),
      id,
      type,
      time,
      text: rows.events[index]?.text ?? "",
      hash: result.hashes[index] ?? ""
    }
    return new RecordedEvent(fields, data)
  })
}
