/**
 * One transaction for a batch of appends: expected versions, the hash chain, and the rows. Recently written streams have
 * their tail in memory, so an append to one of them reads nothing.
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
   * Whether to trust `NoStream` for a stream whose tail is not in memory. If the stream has events, the transaction fails
   * with a constraint.
   */
  readonly trusting: boolean
}

interface Committed {
  /** The result of each append, in the order of the batch. */
  readonly results: ReadonlyArray<Written | Conflict>
  /** Whether a payload record was erased. */
  readonly hasErased: boolean
}

export interface Transaction {
  /** Durable when it returns. Throws what SQLite throws; then `undo` must follow. */
  readonly commit: (batch: ReadonlyArray<AppendRows>, options: Options) => Committed
  /** Rolls the failed batch back. Returns whether nothing is left of it. */
  readonly undo: (batch: ReadonlyArray<AppendRows>) => boolean
  /** Must follow each attempt to archive, whether it failed or not. */
  readonly afterArchiving: () => void
}

const beforeFirst: Tails.Tail = { ordinal: -1, hash: EventChain.origin }

const conflict: Conflict = { _tag: "Conflict" }

export const make = (db: DatabaseSync): Transaction => {
  const begin = db.prepare("BEGIN IMMEDIATE")
  const commit = db.prepare("COMMIT")
  const rollback = db.prepare("ROLLBACK")
  const eventRows = RowInserts.make(db, "events", 8)
  const payloadRows = RowInserts.make(db, "payloads", 7)
  // Rows are emptied and not deleted. When a row is deleted, SQLite moves others to other pages and may leave copies of
  // their texts, which `secure_delete` does not reach when those are erased. Shrinking a row moves none.
  const emptyRow = db.prepare(
    "UPDATE payloads SET salt = '', hash = '', size = 0, text = NULL, blob = NULL WHERE stream = ? AND name = ?"
  )
  const tails = Tails.make(db)
  /** For the current transaction. */
  let hasErased = false

  /** Returns whether any of the records existed. */
  const erase = (stream: string, names: ReadonlyArray<string>): boolean => {
    // Some may be waiting rows of the same batch.
    payloadRows.flush()
    return names.filter((name) => emptyRow.run(stream, name).changes !== 0).length > 0
  }

  const write = (
    { erases, events, expected, payloads, stream }: AppendRows,
    after: number,
    trusting: boolean
  ): Written | Conflict => {
    const assumesEmpty = trusting && expected._tag === "NoStream"
    // Only a few rows wait, and thousands of tails are in memory, so a tail that is not in memory is in the table.
    const tail = tails.recent.get(stream) ?? (assumesEmpty ? tails.archived(stream) : tails.read(stream))
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
    afterArchiving: tails.afterArchiving,
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
