import type { DatabaseSync } from "node:sqlite"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Database from "#streams/sqlite/Database.ts"
import * as LogSchema from "#streams/sqlite/Schema.ts"
import * as TempDirectory from "#test/support/TempDirectory.ts"

const withFile = (use: (filename: string) => void) =>
  Effect.map(TempDirectory.make, (directory) => use(`${directory}/log.sqlite`))

const pragma = (db: DatabaseSync, name: string) => Object.values(db.prepare(`PRAGMA ${name}`).get() ?? {})[0]

describe("A connection to the log", () => {
  it.live("has WAL and synchronous=FULL in force, so that a commit is on disk when it returns", () =>
    withFile((filename) => {
      const db = Database.open({ filename, synchronous: "FULL" })
      assert.strictEqual(pragma(db, "journal_mode"), "wal")
      assert.strictEqual(pragma(db, "synchronous"), 2)
      db.close()
    })
  )

  it.live("has synchronous=NORMAL only on request", () =>
    withFile((filename) => {
      const db = Database.open({ filename, synchronous: "NORMAL" })
      assert.strictEqual(pragma(db, "synchronous"), 1)
      db.close()
    })
  )

  it.live("overwrites deleted data, so that it cannot be read from the file", () =>
    withFile((filename) => {
      const db = Database.open({ filename, synchronous: "FULL" })
      assert.strictEqual(pragma(db, "secure_delete"), 1)
      db.close()
    })
  )

  it.live("cannot write if it is opened for reading", () =>
    withFile((filename) => {
      const owner = Database.open({ filename, synchronous: "FULL" })
      LogSchema.prepare(owner)
      const reader = Database.open({ filename, readOnly: true, synchronous: "FULL" })
      assert.throws(() => reader.exec("DELETE FROM events"), /readonly/)
      reader.close()
      owner.close()
    })
  )
})

describe("The schema of the log", () => {
  it.live("is created once in an empty file", () =>
    withFile((filename) => {
      const db = Database.open({ filename, synchronous: "FULL" })
      LogSchema.prepare(db)
      db.exec("INSERT INTO events VALUES (1, 's', 0, 'i', 't', 0, '{}', 'h')")
      LogSchema.prepare(db)
      assert.strictEqual(db.prepare("SELECT count(*) AS n FROM events").get()?.["n"], 1)
      db.close()
    })
  )

  it.live("is rejected in a database of another program or of a later release", () =>
    withFile((filename) => {
      const db = Database.open({ filename, synchronous: "FULL" })
      db.exec("CREATE TABLE notes (text TEXT)")
      assert.throws(() => LogSchema.prepare(db), /not an inferlog event log/)
      db.exec("DROP TABLE notes")
      db.exec("PRAGMA application_id = 1768714087; PRAGMA user_version = 3")
      assert.throws(() => LogSchema.prepare(db), /format 3; this release reads formats 1 to 2/)
      db.close()
    })
  )

  it.live("allows one event per ordinal of a stream, and one payload per name", () =>
    withFile((filename) => {
      const db = Database.open({ filename, synchronous: "FULL" })
      LogSchema.prepare(db)
      db.exec("INSERT INTO events VALUES (1, 's', 0, 'i', 't', 0, '{}', 'h')")
      assert.throws(() => db.exec("INSERT INTO events VALUES (2, 's', 0, 'j', 't', 0, '{}', 'h')"), /UNIQUE/)
      db.exec("INSERT INTO payloads VALUES ('s', 'input', 'x', 'h', 1, '1', NULL)")
      assert.throws(
        () => db.exec("INSERT INTO payloads VALUES ('s', 'input', 'x', 'h', 1, '1', NULL)"),
        /UNIQUE/
      )
      db.close()
    })
  )
})
