import * as fs from "node:fs"
import * as path from "node:path"
import { DatabaseSync } from "node:sqlite"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { OAuthDatabase } from "#src/edges/oauth/OAuthDatabase.ts"
import { Records } from "#src/edges/oauth/Records.ts"
import * as TempDirectory from "#test/support/TempDirectory.ts"

const newFile = Effect.map(TempDirectory.make, (directory) => path.join(directory, "oauth.sqlite"))

const change = (file: string, sql: string) => {
  using db = new DatabaseSync(file)
  db.exec(sql)
}

/** The result of a start with the file. */
const errorAnswer = (file: string) =>
  Effect.map(Effect.flip(Effect.scoped(Layer.build(OAuthDatabase.layerAt(file)))), ({ message }) => message)

const used = <A, E>(file: string, use: Effect.Effect<A, E, OAuthDatabase | Records>) =>
  Effect.provide(use, Layer.fresh(Records.layer.pipe(Layer.provideMerge(OAuthDatabase.layerAt(file)))))

const record = (index: number) => ({
  model: "Client",
  id: `client-${index}`,
  payload: { text: "x".repeat(2_000) },
  expiresAt: 1e15,
  grantId: null,
  loginId: null
})

const remedy = "It holds sign-ins only: move it away, and assistants sign in anew"

describe("the file of sign-ins", () => {
  it.effect("is reopened, and a start with a corrupt file explains what to do", () =>
    Effect.gen(function* () {
      const file = yield* newFile
      yield* used(
        file,
        Effect.flatMap(Records, ({ put }) => put(record(0)))
      )
      const kept = yield* used(
        file,
        Effect.flatMap(Records, ({ find }) => find(record(0)))
      )
      assert.deepStrictEqual(kept?.payload, record(0).payload)
      fs.writeFileSync(file, "no database ".repeat(1_000))
      assert.strictEqual(yield* errorAnswer(file), `${file} cannot be read. ${remedy}`)
    })
  )

  it.effect.each([
    { version: 2, sql: "PRAGMA user_version = 2" },
    { version: 0, sql: "CREATE TABLE logins (name TEXT)" }
  ])("of version $version is rejected, and not changed", ({ sql, version }) =>
    Effect.gen(function* () {
      const file = yield* newFile
      change(file, sql)
      const told = `${file} is of version ${version}, and this release has version 1. ${remedy}`
      assert.strictEqual(yield* errorAnswer(file), told)
      assert.strictEqual(yield* errorAnswer(file), told)
    })
  )

  it.effect("that another process has locked fails at once, and is distinguished from a damaged one", () =>
    Effect.gen(function* () {
      const file = yield* newFile
      yield* used(
        file,
        Effect.gen(function* () {
          const records = yield* Records
          using other = new DatabaseSync(file)
          other.exec("BEGIN IMMEDIATE")
          const began = performance.now()
          const failed = yield* Effect.flip(records.put(record(1)))
          assert.isBelow(performance.now() - began, 1_000)
          assert.strictEqual(failed.reason._tag, "LockTimeoutError")
          other.exec("ROLLBACK")
          yield* records.put(record(1))
        })
      )
      using other = new DatabaseSync(file)
      other.exec("PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE")
      assert.strictEqual(yield* errorAnswer(file), `${file} is locked by another process`)
    })
  )

  it.effect("with damaged pages fails only what needs those pages", () =>
    Effect.gen(function* () {
      const file = yield* newFile
      const all = Array.from({ length: 24 }, (_, index) => record(index))
      yield* used(
        file,
        Effect.flatMap(Records, ({ put }) => Effect.forEach(all, put, { discard: true }))
      )
      change(file, "PRAGMA wal_checkpoint(TRUNCATE)")
      const bytes = fs.readFileSync(file)
      bytes.fill(0xff, bytes.length / 2)
      fs.writeFileSync(file, bytes)
      const results = yield* used(
        file,
        Effect.flatMap(Records, (records) =>
          Effect.forEach(all, ({ id, model }) =>
            Effect.match(records.find({ model, id }), {
              onFailure: ({ _tag }) => _tag,
              onSuccess: (found) => (found === null ? "missing" : "found")
            })
          )
        )
      )
      assert.include(results, "SqlError")
      assert.include(results, "found")
    })
  )
})
