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
import { type Append, type Appended, WrongExpectedVersion } from "../EventStore.ts"
import { trustedVersion, type ExpectedVersion } from "../ExpectedVersion.ts"
import * as GlobalPosition from "../GlobalPosition.ts"
import { RecordedEvent } from "../RecordedEvent.ts"
import type { Head } from "./LogHead.ts"
import type { Reads, Tail } from "./Reads.ts"
import * as SqliteFailure from "./SqliteFailure.ts"
import * as TailCache from "./TailCache.ts"

type AppendError = WrongExpectedVersion | EventStoreError
type AppendExit = Exit.Exit<Appended, AppendError>

interface Pending {
  readonly append: Append
  /** Canonical data of each event, made before the transaction so that a bad value fails its own append only. */
  readonly texts: ReadonlyArray<string>
  readonly resume: (exit: AppendExit) => void
}

export interface Writer {
  readonly append: (append: Append) => Effect.Effect<Appended, AppendError>
  /** Commits what is waiting and refuses what comes after. */
  readonly close: () => void
  /** Refuses everything from now on: what is committed cannot be relied on. */
  readonly fail: (error: EventStoreError) => void
}

export interface WriterOptions {
  readonly db: DatabaseSync
  readonly reads: Reads
  readonly head: Head
  /** Called after each commit, before its appends are acknowledged. When it throws, they are not, and none follow. */
  readonly onCommit: (events: ReadonlyArray<RecordedEvent>, head: Head, commit: Commit) => void
  /** Called when it takes no more appends. */
  readonly onFailure: (error: EventStoreError) => void
}

export const make = ({ db, reads, head: start, onCommit, onFailure }: WriterOptions): Writer => {
  const begin = db.prepare("BEGIN IMMEDIATE")
  const commit = db.prepare("COMMIT")
  const rollback = db.prepare("ROLLBACK")
  const insertEvent = db.prepare("INSERT INTO events VALUES (?, ?, ?, ?, ?, ?, ?, ?)")
  const insertPayload = db.prepare("INSERT INTO payloads VALUES (?, ?, ?, ?, ?, ?, ?)")
  const tails = TailCache.make(reads.tail)
  let head = start
  let waiting: Array<Pending> = []
  let closed: EventStoreError | undefined

  /** Writes one append into the open transaction. Throws what SQLite throws. */
  const write = ({ append, texts }: Pending, sequence: number, written: Array<RecordedEvent>): AppendExit => {
    const { stream } = append
    let tail = tails.get(stream)
    if (!matches(append.expected, tail)) return Exit.fail(new WrongExpectedVersion({ stream }))
    for (const [index, { id, type, time, data }] of append.events.entries()) {
      const ordinal: number = tail === undefined ? 0 : tail.ordinal + 1
      const text = texts[index] ?? ""
      const hash = EventChain.hash(tail?.hash ?? EventChain.origin, { stream, ordinal, id, type, time, text })
      const position = sequence + index + 1
      insertEvent.run(position, stream, ordinal, id, type, time, text, hash)
      const fields = { stream, ordinal, id, type, time, text, hash, version: trustedVersion(String(ordinal)) }
      written.push(new RecordedEvent({ ...fields, position: GlobalPosition.trusted(String(position)) }, data))
      tail = { ordinal, hash }
    }
    for (const { name, salt, hash, size, content } of append.payloads ?? []) {
      const isInline = content._tag === "Inline"
      insertPayload.run(
        stream,
        name,
        salt,
        hash,
        size,
        isInline ? content.text : null,
        isInline ? null : content.key
      )
    }
    if (tail !== undefined) tails.set(stream, tail)
    return Exit.succeed({
      version: trustedVersion(String(tail?.ordinal)),
      position: GlobalPosition.trusted(String(sequence + append.events.length))
    })
  }

  /** One transaction over `batch`: the exits of its appends and their events, or what SQLite threw. */
  const transact = (batch: ReadonlyArray<Pending>) => {
    const written: Array<RecordedEvent> = []
    begin.run()
    const exits = batch.map((pending) => write(pending, head.sequence + written.length, written))
    commit.run()
    return { exits, written }
  }

  const advance = (written: ReadonlyArray<RecordedEvent>, commit: Commit) => {
    const digest = written.reduce((digest, event) => EventChain.digest(digest, event.hash), head.digest)
    head = { sequence: head.sequence + written.length, digest }
    onCommit(written, head, commit)
  }

  const fail = (error: EventStoreError) => {
    closed = error
    onFailure(error)
  }

  const undo = (): boolean => {
    try {
      if (db.isTransaction) rollback.run()
      return true
    } catch {
      return false
    }
  }

  const attempt = (batch: ReadonlyArray<Pending>): ReadonlyArray<AppendExit> => {
    if (closed !== undefined) return batch.map(() => Exit.fail(closed as EventStoreError))
    try {
      const began = performance.now()
      const { exits, written } = transact(batch)
      const durationMs = performance.now() - began
      if (written.length > 0) advance(written, { appends: batch.length, events: written.length, durationMs })
      return exits
    } catch (cause) {
      tails.clear()
      const failure = undo() ? SqliteFailure.classify(cause) : "fatal"
      if (failure === "constraint" && batch.length > 1) return batch.flatMap((pending) => attempt([pending]))
      const error = new EventStoreError({ reason: SqliteFailure.reasons[failure], cause })
      // After a failed fsync nobody knows what is on disk: only a restart, which reads the file anew, can tell.
      if (failure === "fatal") fail(error)
      return batch.map(() => Exit.fail(error))
    }
  }

  const flush = () => {
    const batch = waiting
    waiting = []
    const exits = attempt(batch)
    for (const [index, { resume }] of batch.entries())
      resume(exits[index] ?? Exit.die("no exit of an append"))
  }

  return {
    append: (append) =>
      Effect.callback((resume) => {
        const texts = append.events.map((event) => CanonicalJson.stringify(event.data))
        if (waiting.length === 0) setImmediate(flush)
        waiting.push({ append, texts, resume })
      }),
    close: () => {
      flush()
      closed = new EventStoreError({ reason: "The log is closed" })
    },
    fail
  }
}

const matches = (expected: ExpectedVersion, tail: Tail | undefined): boolean => {
  switch (expected._tag) {
    case "Any":
      return true
    case "NoStream":
      return tail === undefined
    case "Exactly":
      return tail !== undefined && String(tail.ordinal) === expected.version
  }
}
