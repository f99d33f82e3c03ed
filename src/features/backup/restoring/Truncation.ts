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

export const toEvent = (row: Record<string, unknown>): RecordedEvent =>
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

/** Removes the events after the moment, and their payload records. Returns the removed events that `isErasing`; `null` if it removed nothing. */
export const truncate = (
  db: DatabaseSync,
  until: Until,
  isErasing: (event: RecordedEvent) => boolean
): ReadonlyArray<RecordedEvent> | null => {
  const first = firstAfter(db, until)
  if (first === null) return null
  const removePayload = db.prepare("DELETE FROM payloads WHERE stream = ? AND name = ?")
  const erasing: Array<RecordedEvent> = []
  db.exec("BEGIN")
  for (const row of db.prepare("SELECT * FROM events WHERE position >= ? ORDER BY position").iterate(first)) {
    const event = toEvent(row)
    if (isErasing(event)) erasing.push(event)
    for (const [name] of PayloadRefs.of(event)) removePayload.run(event.stream, name)
  }
  db.prepare("DELETE FROM events WHERE position >= ?").run(first)
  db.exec("COMMIT; VACUUM")
  return erasing
}

/** Whether the event says something new about the stream: it erases what its events name, or ends its file. */
const isNews = (db: DatabaseSync) => {
  const events = db.prepare("SELECT * FROM events WHERE stream = ?")
  return ({ data, stream, type }: RecordedEvent): boolean => {
    const before = events.all(stream).map(toEvent)
    const erased = Tombstone.erasedBy({ type, data })
    if (type !== Tombstone.type) return before.length > 0 && before.every((event) => event.type !== type)
    const known = new Set(before.flatMap(Tombstone.erasedBy))
    return before
      .flatMap((event) => PayloadRefs.of(event))
      .some(([name]) => erased.includes(name) && !known.has(name))
  }
}

/** Appends erasures that were made after the moment, each once and in order. Returns their number. */
export const eraseAgain = (db: DatabaseSync, later: ReadonlyArray<RecordedEvent>): number => {
  const tail = db.prepare("SELECT ordinal, hash FROM events WHERE stream = ? ORDER BY ordinal DESC LIMIT 1")
  const append = db.prepare("INSERT INTO events VALUES (?, ?, ?, ?, ?, ?, ?, ?)")
  const erase = db.prepare(
    "UPDATE payloads SET salt = '', hash = '', size = 0, text = NULL, blob = NULL WHERE stream = ? AND name = ?"
  )
  const isNew = isNews(db)
  let position = endOf(db)
  let count = 0
  db.exec("BEGIN")
  for (const event of later) {
    if (!isNew(event)) continue
    const { data, id, stream, text, time, type } = event
    const last = tail.get(stream) ?? { ordinal: -1, hash: EventChain.origin }
    const ordinal = Number(last["ordinal"]) + 1
    const hash = EventChain.hash(String(last["hash"]), { stream, ordinal, id, type, time, text })
    append.run(++position, stream, ordinal, id, type, time, text, hash)
    for (const name of Tombstone.erasedBy({ type, data })) erase.run(stream, name)
    count++
  }
  db.exec("COMMIT")
  return count
}
