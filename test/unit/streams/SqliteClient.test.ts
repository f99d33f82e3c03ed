import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Exit, Fiber, Stream } from "effect"
import * as Reactivity from "effect/reactivity/Reactivity"
import { SafeIntegers, SqlClient } from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import * as SqliteClient from "#streams/SqliteClient.ts"
import * as TempDirectory from "#test/support/TempDirectory.ts"

const layer = TempDirectory.provide((directory) =>
  SqliteClient.layer({ filename: `${directory}/test.sqlite`, synchronous: "NORMAL" })
)

const test = (name: string, body: (sql: SqlClient) => Effect.Effect<void, SqlError, SqlClient>) =>
  it.live(name, () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient
      yield* sql`CREATE TABLE things (id INTEGER PRIMARY KEY, name TEXT UNIQUE)`
      yield* body(sql)
    }).pipe(Effect.provide(layer))
  )

const names = (sql: SqlClient) =>
  Effect.map(sql<{ readonly name: string }>`SELECT name FROM things ORDER BY id`, (rows) =>
    rows.map(({ name }) => name)
  )

const failure = (statement: Effect.Effect<unknown, SqlError>) => Effect.orDie(Effect.flip(statement))

describe("SqliteClient", () => {
  test("binds parameters and reads rows back", (sql) =>
    Effect.gen(function* () {
      yield* sql`INSERT INTO things ${sql.insert([
        { id: 1, name: "it's" },
        { id: 2, name: "☃" }
      ])}`
      assert.deepStrictEqual(yield* names(sql), ["it's", "☃"])
      const found = yield* sql`SELECT id FROM things WHERE name = ${"☃"}`.values
      assert.deepStrictEqual(found, [[2]])
      const again = yield* sql<{ readonly id: number }>`SELECT id FROM things WHERE name = ${"☃"}`
      assert.strictEqual(again[0]?.id, 2)
    }))

  test("reads integers above 2^53 as bigint on request", (sql) =>
    Effect.gen(function* () {
      const read = sql`SELECT 9007199254740993 AS big`.values
      assert.deepStrictEqual(yield* Effect.provideService(read, SafeIntegers, true), [[9007199254740993n]])
      assert.isTrue(Exit.isFailure(yield* Effect.exit(read)))
    }))

  test("reports which constraint a row breaks", (sql) =>
    Effect.gen(function* () {
      yield* sql`INSERT INTO things VALUES (1, 'a')`
      const error = yield* failure(sql`INSERT INTO things VALUES (2, 'a')`)
      assert.strictEqual(error.reason._tag, "UniqueViolation")
      assert.deepInclude(error.reason, { constraint: "things.name" })
    }))

  test("fails, without a throw, on invalid SQL", (sql) =>
    Effect.gen(function* () {
      const error = yield* failure(sql`SELEC`)
      assert.strictEqual(error._tag, "SqlError")
    }))

  test("rolls back a failed transaction, and commits a successful one", (sql) =>
    Effect.gen(function* () {
      yield* sql.withTransaction(sql`INSERT INTO things VALUES (1, 'kept')`)
      yield* sql`INSERT INTO things VALUES (2, 'undone')`.pipe(
        Effect.andThen(Effect.fail("no" as const)),
        sql.withTransaction,
        Effect.flip
      )
      assert.deepStrictEqual(yield* names(sql), ["kept"])
    }))

  test("rolls back an interrupted transaction, and runs nothing else inside it", (sql) =>
    Effect.gen(function* () {
      const inside = yield* Deferred.make<void>()
      const transaction = yield* sql`INSERT INTO things VALUES (1, 'undone')`.pipe(
        Effect.andThen(Deferred.succeed(inside, undefined)),
        Effect.andThen(Effect.never),
        sql.withTransaction,
        Effect.forkChild
      )
      yield* Deferred.await(inside)
      const outside = yield* Effect.forkChild(names(sql))
      yield* Effect.yieldNow
      assert.isUndefined(outside.pollUnsafe())
      yield* Fiber.interrupt(transaction)
      assert.deepStrictEqual(yield* Fiber.join(outside), [])
    }))

  test("streams more rows than it reads at a time, and stops in between", (sql) =>
    Effect.gen(function* () {
      yield* sql`WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers LIMIT 1000)
        INSERT INTO things SELECT n, 'n' || n FROM numbers`
      const all = yield* Stream.runCollect(sql`SELECT id FROM things ORDER BY id`.stream)
      assert.lengthOf(all, 1000)
      const some = yield* sql`SELECT id FROM things ORDER BY id`.stream.pipe(
        Stream.take(200),
        Stream.runCollect
      )
      assert.lengthOf(some, 200)
      yield* sql`DELETE FROM things`
      assert.deepStrictEqual(yield* names(sql), [])
    }))

  it.live("does not write through a read-only connection", () =>
    Effect.gen(function* () {
      const filename = `${yield* TempDirectory.make}/test.sqlite`
      const writer = yield* SqliteClient.make({ filename, synchronous: "NORMAL" })
      yield* writer`CREATE TABLE things (id INTEGER PRIMARY KEY)`
      const reader = yield* SqliteClient.make({ filename, synchronous: "NORMAL", readOnly: true })
      assert.strictEqual((yield* failure(reader`INSERT INTO things VALUES (1)`))._tag, "SqlError")
      yield* writer`INSERT INTO things VALUES (1)`
      assert.lengthOf(yield* reader.withTransaction(reader`SELECT * FROM things`), 1)
    }).pipe(Effect.scoped, Effect.provide(Reactivity.layer))
  )
})
