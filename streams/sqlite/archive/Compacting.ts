/** Rewrites `log.sqlite` without its unused space, and so that it can shrink from then on. */
import { Effect } from "effect"
import * as DataLock from "../../DataLock.ts"
import * as Database from "../Database.ts"
import * as LogEnd from "../LogEnd.ts"
import * as LogSchema from "../Schema.ts"

/** Needs free space of about the size of the file. A crash leaves the file as it was. */
export const run = Effect.fnUntraced(function* (directory: string) {
  yield* DataLock.acquire(directory)
  yield* LogEnd.readable(() => {
    const db = Database.open({ filename: `${directory}/log.sqlite`, synchronous: "FULL" })
    try {
      LogSchema.check(db)
      db.exec("PRAGMA auto_vacuum = INCREMENTAL; VACUUM; PRAGMA wal_checkpoint(TRUNCATE)")
    } finally {
      db.close()
    }
  })
}, Effect.scoped)
