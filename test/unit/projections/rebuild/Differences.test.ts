import { DatabaseSync } from "node:sqlite"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { allProjections } from "#projections/AllProjections.ts"
import * as Differences from "#projections/rebuild/Differences.ts"
import * as MemoryEventStore from "#streams/MemoryEventStore.ts"
import * as TempDirectory from "#test/support/TempDirectory.ts"
import { runOnce } from "#test/support/projections/ReadSide.ts"
import * as VariedLog from "#test/support/projections/rebuild/VariedLog.ts"

interface Column {
  readonly name: string
  readonly type: string
  readonly isKey: boolean
}

const columnsOf = (db: DatabaseSync, table: string): ReadonlyArray<Column> =>
  db
    .prepare("SELECT name, type, pk FROM pragma_table_info(?)")
    .all(table)
    .map(({ name, pk, type }) => ({ name: String(name), type: String(type), isKey: Number(pk) > 0 }))

const tablesOf = (db: DatabaseSync, projection: string): ReadonlyArray<string> =>
  db
    .prepare("SELECT name FROM sqlite_schema WHERE type = 'table' AND name GLOB ?")
    .all(`${projection}_*`)
    .map(({ name }) => String(name))

interface Damage {
  readonly what: "a row too many" | "a row too few" | "another value"
  readonly sql: string
}

const namesOf = (columns: ReadonlyArray<Column>) => columns.map(({ name }) => name).join()

/** The possible faults of a table. */
const damagesOf = (table: string, columns: ReadonlyArray<Column>): ReadonlyArray<Damage> => {
  const key = namesOf(columns.filter(({ isKey }) => isKey))
  const some = `WHERE (${key}) IN (SELECT ${key} FROM ${table} ORDER BY random() LIMIT 1)`
  const values = columns.map(({ type }) => (type === "TEXT" ? "'~'" : 987654321))
  const changes = columns
    .filter(({ isKey }) => !isKey)
    .map(({ name, type }) =>
      type === "TEXT"
        ? `${name} = coalesce(${name}, '') || '~'`
        : `${name} = coalesce(${name}, 0) + 987654321`
    )
  return [
    { what: "a row too many", sql: `INSERT INTO ${table} (${namesOf(columns)}) VALUES (${values.join()})` },
    { what: "a row too few", sql: `DELETE FROM ${table} ${some}` },
    ...changes.map((change): Damage => ({
      what: "another value",
      sql: `UPDATE ${table} SET ${change} ${some}`
    }))
  ]
}

/** The whole comparison in one step. */
const find = (sides: Differences.Sides, projection: string): Differences.Found => {
  const walked = Differences.walk(sides, projection)
  for (let step = walked.next(); ; step = walked.next()) if (step.done === true) return step.value
}

/** Two files with the rows of one log. */
const twice = Effect.gen(function* () {
  const directory = yield* TempDirectory.make
  const [one, other] = [`${directory}/one.sqlite`, `${directory}/other.sqlite`]
  yield* runOnce(one, allProjections)
  yield* runOnce(other, allProjections)
  const open = (filename: string) =>
    Effect.acquireRelease(
      Effect.sync(() => new DatabaseSync(filename, { defensive: false })),
      (db) => Effect.sync(() => db.close())
    )
  return { stored: yield* open(one), expected: yield* open(other) }
})

const over = (body: (sides: Differences.Sides) => void, seed = 5) =>
  Effect.gen(function* () {
    yield* VariedLog.append(seed, { count: 60 })
    body(yield* twice)
  }).pipe(Effect.scoped, Effect.provide(MemoryEventStore.layer))

/** All changes are undone afterwards. */
const after = (db: DatabaseSync, sql: string, look: (changes: number) => void) => {
  db.exec("PRAGMA ignore_check_constraints = ON; BEGIN")
  const { changes } = db.prepare(sql).run()
  look(Number(changes))
  db.exec("ROLLBACK")
}

describe("Rows that are compared", () => {
  it.live("are equal for equal logs", () =>
    over((sides) => {
      for (const { name } of allProjections) {
        const { difference, rows } = find(sides, name)
        assert.isNull(difference)
        assert.isAbove(rows, 0, name)
      }
    })
  )

  it.live("differ by one row, or one value of it, in any table", () =>
    over((sides) => {
      for (const { name } of allProjections) {
        for (const table of tablesOf(sides.stored, name)) {
          const columns = columnsOf(sides.stored, table)
          for (const { sql, what } of damagesOf(table, columns)) {
            after(sides.stored, sql, (changes) => {
              assert.strictEqual(changes, 1, `${table} has no rows to damage`)
              const { difference } = find(sides, name)
              assert.deepInclude(difference, { kind: "row", table }, sql)
              assert.sameMembers(
                Object.keys(difference?.key ?? {}),
                columns.filter(({ isKey }) => isKey).map(({ name }) => name)
              )
              assert.strictEqual(difference?.stored === null, what === "a row too few")
              assert.strictEqual(difference?.expected === null, what === "a row too many")
            })
          }
        }
      }
    })
  )

  it.live("differ if a table has another definition or an index is missing", () =>
    over((sides) => {
      after(sides.stored, "DROP INDEX history_by_model", () =>
        assert.deepInclude(find(sides, "history").difference, {
          kind: "schema",
          table: "history_by_model",
          stored: null
        })
      )
      after(sides.stored, "CREATE TABLE history_more (id TEXT) STRICT", () =>
        assert.deepInclude(find(sides, "history").difference, {
          kind: "schema",
          table: "history_more",
          expected: null
        })
      )
    })
  )

  it("differ from their index if the file is damaged", () => {
    const open = () => {
      const db = new DatabaseSync(":memory:", { defensive: false })
      db.exec("CREATE TABLE notes_rows (id TEXT PRIMARY KEY, kind TEXT) STRICT, WITHOUT ROWID")
      db.exec("CREATE INDEX notes_by_kind ON notes_rows (kind); INSERT INTO notes_rows VALUES ('a', 'x')")
      return db
    }
    const [stored, expected] = [open(), open()]
    const insert = "INSERT INTO notes_rows VALUES ('b', 'y')"
    expected.exec(insert)
    // While the index is disabled.
    const index = "sqlite_schema WHERE name = 'notes_by_kind'"
    const row = Object.values(stored.prepare(`SELECT * FROM ${index}`).get() ?? {})
    stored.exec(
      `PRAGMA writable_schema = ON; DELETE FROM ${index}; PRAGMA writable_schema = RESET; ${insert}`
    )
    stored.exec("PRAGMA writable_schema = ON")
    stored.prepare("INSERT INTO sqlite_schema VALUES (?, ?, ?, ?, ?)").run(...row)
    stored.exec("PRAGMA writable_schema = RESET")

    const { difference } = find({ stored, expected }, "notes")
    assert.deepInclude(difference, { kind: "integrity", table: "notes_rows" })
    assert.match(String(difference?.stored?.["finding"]), /notes_by_kind/)
  })

  it("are read in SQLite's order of keys, whatever their content", () => {
    const open = (ids: ReadonlyArray<string>) => {
      const db = new DatabaseSync(":memory:")
      db.exec("CREATE TABLE notes_rows (kind INTEGER, id TEXT, PRIMARY KEY (kind, id)) STRICT, WITHOUT ROWID")
      for (const id of ids) db.prepare("INSERT INTO notes_rows VALUES (?, ?)").run(BigInt(2 ** 60), id)
      return db
    }
    // UTF-16 and UTF-8 sort these two in opposite order.
    const ids = ["\u{ff5e}", "\u{1f600}", "", "10", "9"]
    for (const missing of ids) {
      const some = ids.filter((id) => id !== missing)
      const { difference } = find({ stored: open(some), expected: open(ids) }, "notes")
      assert.deepInclude(difference, {
        kind: "row",
        key: { kind: String(2n ** 60n), id: missing },
        stored: null
      })
    }
    assert.deepStrictEqual(find({ stored: open(ids), expected: open(ids) }, "notes"), {
      rows: 5,
      difference: null
    })
  })
})
