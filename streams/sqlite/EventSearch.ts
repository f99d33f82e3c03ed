/** Searches `log.sqlite` for events of some types without opening the log as a whole. */
import type { Effect } from "effect"
import type { LogUnavailable } from "../LogUnavailable.ts"
import * as StreamName from "../StreamName.ts"
import * as Database from "./Database.ts"
import * as LogEnd from "./LogEnd.ts"
import * as LogSchema from "./Schema.ts"

/** Whether a category has an event of one of the types. The file must exist. */
export const contains = (
  filename: string,
  { category, types }: { readonly category: string; readonly types: ReadonlyArray<string> }
): Effect.Effect<boolean, LogUnavailable> =>
  LogEnd.readable(() => {
    const db = Database.open({ filename, readOnly: true, synchronous: "FULL" })
    try {
      LogSchema.check(db)
      const first = StreamName.make(category, "")
      // The character after the hyphen, which ends a category.
      const after = `${category}.`
      const found = db
        .prepare(
          `SELECT 1 FROM events WHERE stream >= ? AND stream < ?
             AND type IN (${types.map(() => "?").join(", ")}) LIMIT 1`
        )
        .get(first, after, ...types)
      return found !== undefined
    } finally {
      db.close()
    }
  })
