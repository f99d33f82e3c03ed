import * as fs from "node:fs"
import * as path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { DataDirectory } from "#src/kernel/disk/DataDirectory.ts"
import { ScratchDirectory } from "#src/kernel/disk/ScratchDirectory.ts"
import * as TempDirectory from "#test/support/TempDirectory.ts"

const start = (dataDirectory: string) =>
  Effect.scoped(Effect.provide(ScratchDirectory, ScratchDirectory.layer)).pipe(
    Effect.provideService(DataDirectory, dataDirectory)
  )

describe("The scratch directory", () => {
  it.effect("is made in the data directory, readable by its owner only", () =>
    Effect.gen(function* () {
      const parent = yield* TempDirectory.make
      const scratch = yield* start(parent)
      assert.strictEqual(scratch, path.join(parent, "tmp"))
      assert.strictEqual(fs.statSync(scratch).mode & 0o777, 0o700)
    })
  )

  it.effect("is cleared of the files of a former process, and of nothing else", () =>
    Effect.gen(function* () {
      const parent = yield* TempDirectory.make
      const scratch = yield* start(parent)
      fs.mkdirSync(path.join(scratch, "image-abc"))
      fs.writeFileSync(path.join(scratch, "image-abc", "source"), "left behind")
      fs.writeFileSync(path.join(parent, "log.sqlite"), "kept")
      assert.strictEqual(yield* start(parent), scratch)
      assert.deepStrictEqual(fs.readdirSync(scratch), [])
      assert.deepStrictEqual(fs.readdirSync(parent).sort(), ["log.sqlite", "tmp"])
    })
  )

  it.effect("replaces a link, without touching its target", () =>
    Effect.gen(function* () {
      const parent = yield* TempDirectory.make
      const elsewhere = yield* TempDirectory.make
      fs.writeFileSync(path.join(elsewhere, "precious"), "")
      fs.symlinkSync(elsewhere, path.join(parent, "tmp"))
      yield* start(parent)
      assert.deepStrictEqual(fs.readdirSync(elsewhere), ["precious"])
      assert.isFalse(fs.lstatSync(path.join(parent, "tmp")).isSymbolicLink())
    })
  )

  it.effect("fails the start with a typed error if it cannot be created", () =>
    Effect.gen(function* () {
      const parent = yield* TempDirectory.make
      const failure = yield* Effect.flip(start(path.join(parent, "missing")))
      assert.strictEqual(failure._tag, "DataDirectoryUnusable")
    })
  )
})
