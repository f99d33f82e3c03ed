/** Removes the events after a moment from a restored log, and repeats later erasures on it. */
import type { DatabaseSync } from "node:sqlite"
import { trustedVersion } from "#streams/ExpectedVersion.ts"
import * as EventChain from "#streams/EventChain.ts"
import * as GlobalPosition from "#streams/GlobalPosition.ts"
import * as PayloadRefs from "#streams/PayloadRefs.ts"
import { RecordedEvent } from "#streams/RecordedEvent.ts"
import * as StreamName from "#streams/StreamName.ts"
import * as Tombstone from "#streams/Tombstone.ts"
import type { Until } from "./Until.ts"

export const endOf = (db: DatabaseSync): number =>
  Number(db.prepare("SELECT max(position) AS last FROM events").get()?.["last"] ?? 0)

/** The first position after the moment; `null` when the log has none. Positions of a base are sequence numbers. */
const firstAfter = (db: DatabaseSync, until: Until): number | null => {
  switch (until._tag) {
    case "End":
      return null
    case "Position": {
      const next = Number.parseInt(until.position, 10) + 1
      return next <= endOf(db) ? next : null
    }
    case "Time": {
      const row = db.prepare("SELECT min(position) AS first FROM events WHERE time > ?").get(until.time)
      return row?.["first"] === null || row === undefined ? null : Number(row["first"])
    }
  }
}

const toEvent = (row: Record<string, unknown>): RecordedEvent =>
  new RecordedEvent({
    position: GlobalPosition.trusted(String(row["position"])),
    stream: StreamName.trusted(String(row["stream"])),
    ordinal: Number(row["ordinal"]),
    version: trustedVersion(String(row["ordinal"])),
    id: String(row["id"]),
    type: String(row["type"]),
    time: Number(row["time"]),
    text: String(row["data"]),
    hash: String(row["hash"])
  })

/** Removes the events after the moment, and their payload records. Returns the removed erasures; `null` if it removed nothing. */
export const truncate = (db: DatabaseSync, until: Until): ReadonlyArray<RecordedEvent> | null => {
  const first = firstAfter(db, until)
  if (first === null) return null
  const removePayload = db.prepare("DELETE FROM payloads WHERE stream = ? AND name = ?")
  const tombstones: Array<RecordedEvent> = []
  db.exec("BEGIN")
  for (const row of db.prepare("SELECT * FROM events WHERE position >= ? ORDER BY position").iterate(first)) {
    const event = toEvent(row)
    if (event.type === Tombstone.type) tombstones.push(event)
    for (const [name] of PayloadRefs.of(event)) removePayload.run(event.stream, name)
  }
  db.prepare("DELETE FROM events WHERE position >= ?").run(first)
  db.exec("COMMIT; VACUUM")
  return tombstones
}

/** Whether events of the stream name one of the payloads, and its record is erased. */
const isErasedIn = (db: DatabaseSync) => {
  const events = db.prepare("SELECT * FROM events WHERE stream = ?")
  const record = db.prepare(
    "SELECT 1 FROM payloads WHERE stream = ? AND name = ? AND (text IS NOT NULL OR blob IS NOT NULL)"
  )
  return (stream: string, names: ReadonlyArray<string>): boolean =>
    events
      .all(stream)
      .flatMap((row) => PayloadRefs.of(toEvent(row)))
      .some(([name]) => names.includes(name) && record.get(stream, name) === undefined)
}

/**
 * Appends erasures that were made after the moment, for payloads that the backup does not have any more: the log must say why
 * they are missing. Returns their number.
 */
export const eraseAgain = (db: DatabaseSync, later: ReadonlyArray<RecordedEvent>): number => {
  const tail = db.prepare("SELECT ordinal, hash FROM events WHERE stream = ? ORDER BY ordinal DESC LIMIT 1")
  const append = db.prepare("INSERT INTO events VALUES (?, ?, ?, ?, ?, ?, ?, ?)")
  const erase = db.prepare(
    "UPDATE payloads SET salt = '', hash = '', size = 0, text = NULL, blob = NULL WHERE stream = ? AND name = ?"
  )
  const isErased = isErasedIn(db)
  let position = endOf(db)
  let count = 0
  db.exec("BEGIN")
  for (const { data, id, stream, text, time, type } of later) {
    const last = tail.get(stream)
    if (last === undefined || !isErased(stream, Tombstone.erasedBy({ type, data }))) continue
    const ordinal = Number(last["ordinal"]) + 1
    const hash = EventChain.hash(String(last["hash"]), { stream, ordinal, id, type, time, text })
    append.run(++position, stream, ordinal, id, type, time, text, hash)
    for (const name of Tombstone.erasedBy({ type, data })) erase.run(stream, name)
    count++
  }
  db.exec("COMMIT")
  return count
}
