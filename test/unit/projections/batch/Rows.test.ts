import { DatabaseSync } from "node:sqlite"
import { assert, describe, it } from "@effect/vitest"
import { integer } from "#projections/batch/Columns.ts"
import * as Rows from "#projections/batch/Rows.ts"

/** Rows of a real table, and the keys that were read from it. */
const make = () => {
  const db = new DatabaseSync(":memory:")
  db.exec("CREATE TABLE numbers (key TEXT PRIMARY KEY, number INTEGER NOT NULL) STRICT")
  const find = db.prepare("SELECT number FROM numbers WHERE key = ?")
  const insert = db.prepare("INSERT INTO numbers VALUES (?, ?)")
  const update = db.prepare("UPDATE numbers SET number = ? WHERE key = ?")
  const remove = db.prepare("DELETE FROM numbers WHERE key = ?")
  const loaded: Array<string> = []
  const rows = Rows.make<{ number: number }, string>({
    keeps: true,
    load: (key) => {
      loaded.push(key)
      const columns = find.get(key)
      return columns && { number: integer(columns["number"]) }
    },
    insert: (key, { number }) => insert.run(key, number),
    update: (key, { number }) => update.run(number, key),
    remove: (key) => remove.run(key)
  })
  const increase = (key: string) => {
    const row = rows.edit(key)
    if (row !== undefined) row.number++
  }
  const stored = (key: string) => find.get(key)?.["number"]
  return { rows, loaded, increase, stored }
}

describe("Rows that are kept between batches", () => {
  it("are not read again, and are written after each batch that changed them", () => {
    const { increase, loaded, rows, stored } = make()
    rows.add("a", { number: 1 })
    rows.write()
    for (const expected of [2, 3]) {
      increase("a")
      rows.write()
      assert.strictEqual(stored("a"), expected)
    }
    assert.deepStrictEqual(loaded, [])
  })

  it("are those that were used last, at most 2,048", () => {
    const { increase, loaded, rows, stored } = make()
    for (let number = 0; number < 3_000; number++) rows.add(`k${number}`, { number })
    rows.write()
    increase("k952")
    increase("k951")
    rows.write()
    assert.deepStrictEqual(loaded, ["k951"])
    // One more row was kept, so that the oldest other one was dropped.
    increase("k952")
    increase("k953")
    rows.write()
    assert.deepStrictEqual(loaded, ["k951", "k953"])
    assert.strictEqual(stored("k952"), 954)
    assert.strictEqual(stored("k953"), 954)
  })

  it("are read again after a rollback", () => {
    const { increase, loaded, rows, stored } = make()
    rows.add("a", { number: 1 })
    rows.write()
    increase("a")
    rows.forget()
    increase("a")
    rows.write()
    assert.strictEqual(stored("a"), 2)
    assert.deepStrictEqual(loaded, ["a"])
  })

  it("are gone once removed, and cannot be added twice", () => {
    const { loaded, rows, stored } = make()
    rows.add("a", { number: 1 })
    rows.write()
    assert.throws(() => rows.add("a", { number: 2 }))
    assert.deepStrictEqual(rows.remove("a"), { number: 1 })
    rows.write()
    assert.strictEqual(stored("a"), undefined)
    assert.strictEqual(rows.look("a"), undefined)
    assert.deepStrictEqual(loaded, ["a"])
  })
})
