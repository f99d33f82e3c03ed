/** The WAL is checkpointed as it grows, and a reader that prevents this is detected. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Database from "#streams/sqlite/Database.ts"
import * as Checkpoints from "#streams/sqlite/thread/Checkpoints.ts"
import * as TempDirectory from "#test/support/TempDirectory.ts"

const MiB = 1_024 * 1_024

const make = Effect.map(TempDirectory.make, (directory) => {
  const filename = `${directory}/log.sqlite`
  const db = Database.open({ filename, synchronous: "NORMAL" })
  db.exec("CREATE TABLE things (bytes BLOB)")
  const checkpoints = Checkpoints.make(db, filename)
  const write = (commits: number) => {
    for (let commit = 0; commit < commits; commit++) {
      db.exec(`INSERT INTO things VALUES (zeroblob(${MiB}))`)
      checkpoints.afterCommit()
    }
  }
  return { checkpoints, db, filename, write }
})

describe("Checkpoints", () => {
  it.live("keep the WAL at a few megabytes", () =>
    Effect.gen(function* () {
      const { checkpoints, db, write } = yield* make
      write(80)
      const { bytes, isBlocked } = checkpoints.wal()
      assert.isAtMost(bytes, 8 * MiB)
      assert.isFalse(isBlocked)
      db.close()
    })
  )

  it.live("report a blocking reader, continue nonetheless, and shrink the WAL when the reader is gone", () =>
    Effect.gen(function* () {
      const { checkpoints, db, filename, write } = yield* make
      const reader = Database.open({ filename, readOnly: true, synchronous: "NORMAL" })
      reader.exec("BEGIN; SELECT count(*) FROM things")
      write(80)
      assert.deepInclude(checkpoints.wal(), { isBlocked: true })
      assert.isAbove(checkpoints.wal().bytes, 80 * MiB)
      assert.isFalse(checkpoints.isExhausted())
      reader.close()
      write(8)
      assert.deepInclude(checkpoints.wal(), { isBlocked: false })
      assert.isAtMost(checkpoints.wal().bytes, 65 * MiB)
      db.close()
    })
  )
})
