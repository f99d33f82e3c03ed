import { DatabaseSync } from "node:sqlite"
import { assert, describe, it } from "@effect/vitest"
import * as RowInserts from "#streams/sqlite/thread/RowInserts.ts"

const make = () => {
  const db = new DatabaseSync(":memory:")
  db.exec("CREATE TABLE things (number INTEGER PRIMARY KEY, name TEXT) STRICT")
  const rows = db.prepare("SELECT number, name FROM things ORDER BY rowid")
  rows.setReturnArrays(true)
  return { things: RowInserts.make(db, "things", 2), all: () => rows.all() }
}

const numbered = (count: number) => Array.from({ length: count }, (_, index) => [index, `thing ${index}`])

describe("Rows that are inserted several to a statement", () => {
  it("are all stored after a flush, once each with their own values, in any number", () => {
    for (let count = 0; count <= 50; count++) {
      const { all, things } = make()
      for (const row of numbered(count)) things.add(...row)
      things.flush()
      things.flush()
      assert.deepStrictEqual<unknown>(all(), numbered(count))
    }
  })

  it("are written without a flush, except for the last few", () => {
    const { all, things } = make()
    for (const row of numbered(100)) things.add(...row)
    assert.isAtLeast(all().length, 80)
  })

  it("are dropped when they are discarded", () => {
    const { all, things } = make()
    things.add(1, "one")
    things.discard()
    things.add(2, null)
    things.flush()
    assert.deepStrictEqual<unknown>(all(), [[2, null]])
  })

  it("throw SQLite's error for one of them, and leave none for the next statement", () => {
    const { all, things } = make()
    for (const number of [1, 2, 1]) things.add(number, null)
    assert.throws(things.flush, /UNIQUE constraint failed/)
    things.flush()
    assert.notInclude(JSON.stringify(all()), "[1,null],[1,null]")
    assert.isBelow(all().length, 3)
  })
})
