import * as fs from "node:fs"
import { DatabaseSync } from "node:sqlite"
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber, Layer } from "effect"
import * as Reactivity from "effect/reactivity/Reactivity"
import { SqlClient } from "effect/sql/SqlClient"
import * as SqliteClient from "#streams/SqliteClient.ts"
import * as TempDirectory from "#test/support/TempDirectory.ts"

/** A client of `{directory}/a.sqlite`, and a function that switches it to another file. */
const switching = Effect.gen(function* () {
  const directory = yield* TempDirectory.make
  for (const name of ["a", "b"]) {
    using db = new DatabaseSync(`${directory}/${name}.sqlite`)
    db.exec(`CREATE TABLE things (name TEXT); INSERT INTO things VALUES ('${name}')`)
  }
  let current = "a"
  const filename = Effect.sync(() => `${directory}/${current}.sqlite`)
  const client = yield* Layer.build(
    Layer.effect(
      SqlClient,
      SqliteClient.makeSwitching({ filename, readOnly: true, synchronous: "NORMAL" })
    ).pipe(Layer.provide(Reactivity.layer))
  )
  const sql = yield* Effect.provide(SqlClient, client)
  const name = Effect.map(sql<{ readonly name: string }>`SELECT name FROM things`, ([row]) => row?.name)
  return { directory, sql, name, become: (name: string) => (current = name) }
})

describe("SqliteClient.makeSwitching", () => {
  it.live("reads the file with the current name when a statement begins", () =>
    Effect.gen(function* () {
      const { become, directory, name } = yield* switching
      assert.strictEqual(yield* name, "a")
      become("b")
      fs.rmSync(`${directory}/a.sqlite`)
      assert.strictEqual(yield* name, "b")
    }).pipe(Effect.scoped)
  )

  it.live("stays on a transaction's file until it ends", () =>
    Effect.gen(function* () {
      const { become, name, sql } = yield* switching
      const begun = yield* Deferred.make<void>()
      const goOn = yield* Deferred.make<void>()
      const transaction = Effect.gen(function* () {
        const first = yield* name
        yield* Deferred.succeed(begun, undefined)
        yield* Deferred.await(goOn)
        return [first, yield* name]
      })
      const running = yield* Effect.forkChild(sql.withTransaction(transaction))
      yield* Deferred.await(begun)
      become("b")
      const later = yield* Effect.forkChild(name)
      yield* Deferred.succeed(goOn, undefined)
      assert.deepStrictEqual(yield* Fiber.join(running), ["a", "a"])
      assert.strictEqual(yield* Fiber.join(later), "b")
    }).pipe(Effect.scoped)
  )

  it.live("fails while the file is missing, and continues when it exists", () =>
    Effect.gen(function* () {
      const { become, name } = yield* switching
      become("missing")
      const error = yield* Effect.flip(name)
      assert.strictEqual(error._tag, "SqlError")
      become("b")
      assert.strictEqual(yield* name, "b")
    }).pipe(Effect.scoped)
  )
})
