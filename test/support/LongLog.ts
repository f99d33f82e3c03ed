/**
 * Writes a long log quickly, bypassing the program: without syncs, payloads, log.head and true hashes. It can be read
 * but not verified.
 */
import * as Database from "#streams/sqlite/Database.ts"
import * as Schema from "#streams/sqlite/Schema.ts"
import * as LogFiles from "#streams/sqlite/LogFiles.ts"
import { codec, type Event } from "#domain/inference-request/Event.ts"
import * as Log from "#test/support/projections/RequestLog.ts"

/** Appends completed requests of four events each. Returns the number of events. */
export const write = (directory: string, requests: number): number => {
  const db = Database.open({ filename: LogFiles.files(directory).log, synchronous: "FULL" })
  try {
    Schema.prepare(db)
    db.exec("PRAGMA synchronous = OFF; BEGIN")
    const insert = db.prepare("INSERT INTO events VALUES (?, ?, ?, ?, ?, ?, ?, ?)")
    let position = Number(Object.values(db.prepare("SELECT max(position) FROM events").get() ?? {})[0] ?? 0)
    for (let number = 0; number < requests; number++) {
      const at = Log.t0 + number
      const account = number % 2 === 0 ? Log.alice : Log.bob
      const events: ReadonlyArray<Event> = [
        Log.submitted(account, Log.echo, at),
        Log.dispatched(1, at),
        Log.started(1, at),
        Log.completed(1, at)
      ]
      for (const [ordinal, event] of events.entries()) {
        const { type, time, data } = codec.encode(event)
        const stream = `InferenceRequest-${Log.requestId(number)}`
        insert.run(
          ++position,
          stream,
          ordinal,
          `e${position}`,
          type,
          time,
          JSON.stringify(data),
          `h${position}`
        )
      }
    }
    db.exec("COMMIT")
    return position
  } finally {
    db.close()
  }
}
