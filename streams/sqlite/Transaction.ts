/**
 * One transaction over a batch of appends: expected versions, the hash chain, and the rows. Streams written lately have
 * their last link in memory, so that an append to one of them reads nothing.
 */
import type { DatabaseSync } from "node:sqlite"
import { Exit } from "effect"
import * as EventChain from "../EventChain.ts"
import { type Append, type Appended, WrongExpectedVersion } from "../EventStore.ts"
import { type ExpectedVersion, trustedVersion } from "../ExpectedVersion.ts"
import * as GlobalPosition from "../GlobalPosition.ts"
import { RecordedEvent } from "../RecordedEvent.ts"
import * as RecentlyUsed from "../RecentlyUsed.ts"
import type { StreamName } from "../StreamName.ts"
import type { Reads, Tail } from "./Reads.ts"
import * as RowInserts from "./RowInserts.ts"

export interface Prepared {
  readonly append: Append
  /** Canonical data of each event, made before the transaction so that a bad value fails its own append only. */
  readonly texts: ReadonlyArray<string>
}

export interface Options {
  /** Sequence number of the log's last event. */
  readonly after: number
  /**
   * Whether an append that wants no event is believed when its stream is not one of those written lately. Were there
   * events, the transaction fails with a constraint.
   */
  readonly trusting: boolean
}

export interface Committed {
  /** Of each append, in the order of the batch. */
  readonly exits: ReadonlyArray<Exit.Exit<Appended, WrongExpectedVersion>>
  readonly events: ReadonlyArray<RecordedEvent>
  /** Whether a payload record was erased. */
  readonly hasErased: boolean
}

export interface Transaction {
  /** Durable when it returns. Throws what SQLite throws, upon which it has to be undone. */
  readonly commit: (batch: ReadonlyArray<Prepared>, options: Options) => Committed
  /** Whether nothing is left of the batch that failed. */
  readonly undo: (batch: ReadonlyArray<Prepared>) => boolean
}

/** Streams whose last link is kept. */
const capacity = 20_000

const beforeFirst: Tail = { ordinal: -1, hash: EventChain.origin }

export const make = (db: DatabaseSync, reads: Reads): Transaction => {
  const begin = db.prepare("BEGIN IMMEDIATE")
  const commit = db.prepare("COMMIT")
  const rollback = db.prepare("ROLLBACK")
  const eventRows = RowInserts.make(db, "events", 8)
  const payloadRows = RowInserts.make(db, "payloads", 7)
  // Emptied, not deleted: around a deleted row SQLite moves others to other pages, and may leave copies of their texts
  // behind, out of reach of `secure_delete` when these are erased. One that shrinks moves none.
  const emptyRow = db.prepare(
    "UPDATE payloads SET salt = '', hash = '', size = 0, text = NULL, blob = NULL WHERE stream = ? AND name = ?"
  )
  const tails = RecentlyUsed.make<Tail>({ capacity })
  /** Of the transaction under way. */
  let hasErased = false

  /** Whether there was one of them. */
  const erase = (stream: StreamName, names: ReadonlyArray<string>): boolean => {
    // Some may have come with the same batch, and wait.
    payloadRows.flush()
    return names.filter((name) => emptyRow.run(stream, name).changes !== 0).length > 0
  }

  const write = (
    { append, texts }: Prepared,
    { after, trusting }: Options,
    written: Array<RecordedEvent>
  ): Exit.Exit<Appended, WrongExpectedVersion> => {
    const { erases, events, expected, payloads, stream } = append
    const presumed = trusting && expected._tag === "NoStream"
    // Rows wait for a few others, tails are kept for thousands: what is not here is in the table.
    const tail = tails.get(stream) ?? (presumed ? undefined : reads.tail(stream))
    if (!matches(expected, tail)) return Exit.fail(new WrongExpectedVersion({ stream }))
    let { hash, ordinal } = tail ?? beforeFirst
    for (const [index, { data, id, time, type }] of events.entries()) {
      const text = texts[index] ?? ""
      ordinal++
      hash = EventChain.hash(hash, { stream, ordinal, id, type, time, text })
      const sequence = after + written.length + 1
      eventRows.add(sequence, stream, ordinal, id, type, time, text, hash)
      const position = GlobalPosition.trusted(String(sequence))
      const version = trustedVersion(String(ordinal))
      written.push(
        new RecordedEvent({ position, stream, ordinal, version, id, type, time, text, hash }, data)
      )
    }
    for (const { content, hash, name, salt, size } of payloads ?? []) {
      if (erases?.includes(name)) continue
      const text = content._tag === "Inline" ? content.text : null
      const key = content._tag === "Inline" ? null : content.key
      payloadRows.add(stream, name, salt, hash, size, text, key)
    }
    if (erases !== undefined && erase(stream, erases)) hasErased = true
    tails.set(stream, { ordinal, hash })
    return Exit.succeed({
      version: trustedVersion(String(ordinal)),
      position: GlobalPosition.trusted(String(after + written.length))
    })
  }

  return {
    commit: (batch, options) => {
      const events: Array<RecordedEvent> = []
      hasErased = false
      begin.run()
      const exits = batch.map((prepared) => write(prepared, options, events))
      eventRows.flush()
      payloadRows.flush()
      commit.run()
      return { exits, events, hasErased }
    },
    undo: (batch) => {
      eventRows.discard()
      payloadRows.discard()
      for (const { append } of batch) tails.delete(append.stream)
      try {
        if (db.isTransaction) rollback.run()
        return true
      } catch {
        return false
      }
    }
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
