/**
 * One transaction over a batch of appends: expected versions, the hash chain, and the rows. Streams written lately have
 * their last link in memory, so that an append to one of them reads nothing.
 */
import type { DatabaseSync } from "node:sqlite"
import * as EventChain from "../../EventChain.ts"
import type { ExpectedVersion } from "../../ExpectedVersion.ts"
import type { AppendRows, Conflict, Written } from "./Protocol.ts"
import * as RowInserts from "./RowInserts.ts"
import * as Tails from "./Tails.ts"

interface Options {
  /** Sequence number of the log's last event. */
  readonly after: number
  /**
   * Whether an append that wants no event is believed when its stream is not one of those written lately. Were there
   * events, the transaction fails with a constraint.
   */
  readonly trusting: boolean
}

interface Committed {
  /** Of each append, in the order of the batch. */
  readonly results: ReadonlyArray<Written | Conflict>
  /** Whether a payload record was erased. */
  readonly hasErased: boolean
}

export interface Transaction {
  /** Durable when it returns. Throws what SQLite throws, upon which it has to be undone. */
  readonly commit: (batch: ReadonlyArray<AppendRows>, options: Options) => Committed
  /** Whether nothing is left of the batch that failed. */
  readonly undo: (batch: ReadonlyArray<AppendRows>) => boolean
}

const beforeFirst: Tails.Tail = { ordinal: -1, hash: EventChain.origin }

const conflict: Conflict = { _tag: "Conflict" }

export const make = (db: DatabaseSync): Transaction => {
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
  const tails = Tails.make(db)
  /** Of the transaction under way. */
  let hasErased = false

  /** Whether there was one of them. */
  const erase = (stream: string, names: ReadonlyArray<string>): boolean => {
    // Some may have come with the same batch, and wait.
    payloadRows.flush()
    return names.filter((name) => emptyRow.run(stream, name).changes !== 0).length > 0
  }

  const write = (
    { erases, events, expected, payloads, stream }: AppendRows,
    after: number,
    trusting: boolean
  ): Written | Conflict => {
    const presumed = trusting && expected._tag === "NoStream"
    // Rows wait for a few others, tails are kept for thousands: what is not here is in the table.
    const tail = tails.recent.get(stream) ?? (presumed ? undefined : tails.read(stream))
    if (!matches(expected, tail)) return conflict
    let { hash, ordinal } = tail ?? beforeFirst
    const hashes: Array<string> = []
    for (const { id, text, time, type } of events) {
      ordinal++
      hash = EventChain.hash(hash, { stream, ordinal, id, type, time, text })
      hashes.push(hash)
      eventRows.add(after + hashes.length, stream, ordinal, id, type, time, text, hash)
    }
    for (const { content, hash, name, salt, size } of payloads) {
      if (erases.includes(name)) continue
      const text = content._tag === "Inline" ? content.text : null
      const key = content._tag === "Inline" ? null : content.key
      payloadRows.add(stream, name, salt, hash, size, text, key)
    }
    if (erases.length > 0 && erase(stream, erases)) hasErased = true
    tails.recent.set(stream, { ordinal, hash })
    return { _tag: "Written", sequence: after + 1, ordinal: ordinal + 1 - hashes.length, hashes }
  }

  return {
    commit: (batch, { after, trusting }) => {
      let written = after
      hasErased = false
      begin.run()
      const results = batch.map((append) => {
        const result = write(append, written, trusting)
        if (result._tag === "Written") written += result.hashes.length
        return result
      })
      eventRows.flush()
      payloadRows.flush()
      commit.run()
      return { results, hasErased }
    },
    undo: (batch) => {
      eventRows.discard()
      payloadRows.discard()
      for (const { stream } of batch) tails.recent.delete(stream)
      try {
        if (db.isTransaction) rollback.run()
        return true
      } catch {
        return false
      }
    }
  }
}

const matches = (expected: ExpectedVersion, tail: Tails.Tail | undefined): boolean => {
  switch (expected._tag) {
    case "Any":
      return true
    case "NoStream":
      return tail === undefined
    case "Exactly":
      return tail !== undefined && String(tail.ordinal) === expected.version
  }
}
