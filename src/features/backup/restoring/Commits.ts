/**
 * Positions of a backup of a log on NATS, kept beside the log in SQLite that a restore builds: they count commits, and those
 * in SQLite count events.
 */
import type { DatabaseSync } from "node:sqlite"
import { Effect, Stream } from "effect"
import { EventStoreError, type Reading } from "#streams/EventReader.ts"
import * as GlobalPosition from "#streams/GlobalPosition.ts"
import { RecordedEvent } from "#streams/RecordedEvent.ts"

/** The first event of each commit, in SQLite's positions. */
const table = "CREATE TABLE restored_commits (first INTEGER PRIMARY KEY, sequence INTEGER NOT NULL)"

/** Returns a function to call with each event, in order. */
export const writer = (db: DatabaseSync) => {
  db.exec(table)
  const insert = db.prepare("INSERT INTO restored_commits VALUES (?, ?)")
  let sequence = 0
  return (at: number, position: GlobalPosition.GlobalPosition) => {
    const next = GlobalPosition.sequence(position)
    if (next !== sequence) insert.run(at, next)
    sequence = next
  }
}

/** Numbers later events, which the backup does not have, as commits of their own. */
export const number = (db: DatabaseSync, after: number) =>
  db
    .prepare(
      `INSERT INTO restored_commits
         SELECT position, position - ? + (SELECT coalesce(max(sequence), 0) FROM restored_commits)
         FROM events WHERE position > ?`
    )
    .run(after, after)

/** Finds the position in the backup of an event in SQLite. */
export const translator = (db: DatabaseSync) => {
  const find = db.prepare(
    "SELECT first, sequence FROM restored_commits WHERE first <= ? ORDER BY first DESC LIMIT 1"
  )
  return (at: number): GlobalPosition.GlobalPosition => {
    const row = find.get(at)
    if (row === undefined) return GlobalPosition.beginning
    const index = at - Number(row["first"])
    const sequence = String(row["sequence"])
    return GlobalPosition.trusted(index === 0 ? sequence : `${sequence}.${index}`)
  }
}

const withPosition = (event: RecordedEvent, position: GlobalPosition.GlobalPosition): RecordedEvent => {
  const { hash, id, ordinal, stream, text, time, type, version } = event
  return new RecordedEvent({ position, stream, ordinal, version, id, type, time, text, hash })
}

/** Cuts before the last commit of the events, of which more may follow. */
const split = (events: ReadonlyArray<RecordedEvent>) => {
  const last = events.at(-1)
  if (last === undefined) return { whole: [], rest: [] }
  const sequence = GlobalPosition.sequence(last.position)
  const cut = events.findIndex(({ position }) => GlobalPosition.sequence(position) === sequence)
  return { whole: events.slice(0, cut), rest: events.slice(cut) }
}

/** Reads the log in SQLite with the positions of the backup, each array with whole commits. */
export const reading = (log: Reading, db: DatabaseSync): Reading => {
  const positionOf = translator(db)
  const attempt = <A>(run: () => A): Effect.Effect<A, EventStoreError> =>
    Effect.try({
      try: run,
      catch: (cause) => new EventStoreError({ reason: "The restored log cannot be read", cause })
    })
  return {
    ...log,
    head: Effect.flatMap(log.head, (head) => attempt(() => positionOf(Number(head)))),
    readAll: (after) =>
      log.readAll(GlobalPosition.beginning).pipe(
        Stream.mapAccumArrayEffect(
          (): ReadonlyArray<RecordedEvent> => [],
          (left, events) =>
            attempt(() => {
              const { rest, whole } = split([
                ...left,
                ...events.map((event) => withPosition(event, positionOf(Number(event.position))))
              ])
              return [rest, whole] as const
            }),
          { onHalt: (left) => [...left] }
        ),
        Stream.filter(({ position }) => !GlobalPosition.isReached(position, after))
      )
  }
}
