/** A log with payloads, and ways to tamper with its tables. */
import { DatabaseSync } from "node:sqlite"
import { Effect } from "effect"
import * as DataDirectory from "./DataDirectory.ts"

/** Positions 1 to 9. */
export const write = Effect.gen(function* () {
  yield* DataDirectory.append("a", "e1", { text: "the first of a" })
  yield* DataDirectory.append("b", "e2", { text: "the first of b" })
  yield* DataDirectory.append("a", "e3", { text: "the second of a" })
  yield* DataDirectory.appendPayload("small", "e4", { text: "a small payload" })
  yield* DataDirectory.append("alone", "e5", { text: "the only one" })
  yield* DataDirectory.appendPayload("large", "e6", { text: "a large payload".repeat(10_000) })
  yield* DataDirectory.append("a", "e7", { text: "the third of a" })
  yield* DataDirectory.append("b", "e8", { text: "the second of b" })
  yield* DataDirectory.append("c", "e9", { text: "the first of c" })
})

export const withDatabase = (directory: string, use: (db: DatabaseSync) => void) => {
  const db = new DatabaseSync(DataDirectory.files(directory).log)
  use(db)
  db.close()
}

/** Deletes an event and renumbers those after it. */
export const closeUp = (position: number) =>
  `DELETE FROM events WHERE position = ${position};
   UPDATE events SET position = -position WHERE position > ${position};
   UPDATE events SET position = -position - 1 WHERE position < 0;`
/** Swaps two events. */
export const swap = (a: number, b: number) =>
  `UPDATE events SET position = -1 WHERE position = ${a};
   UPDATE events SET position = ${a} WHERE position = ${b};
   UPDATE events SET position = ${b} WHERE position = -1;`
