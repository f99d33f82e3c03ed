import * as fs from "node:fs"
import * as path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as ArchivedLog from "#test/src/features/archive/ArchivedLog.ts"
import * as TempDirectory from "#test/support/TempDirectory.ts"
import * as Inferlog from "../Inferlog.ts"

describe("log archive", () => {
  it.live("moves old streams, verifies, and says what it refuses", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const directory = yield* TempDirectory.make
        const settings = { DATA_DIR: directory }
        const reserve = (index: number) => ArchivedLog.reserve(`k${index % 10}`, 1_000 + index)
        yield* ArchivedLog.owned(
          directory,
          Effect.forEach(
            Array.from({ length: 100 }, (_, index) => index),
            reserve,
            { discard: true }
          )
        )
        const target = path.join(directory, "elsewhere")
        const run = (...args: ReadonlyArray<string>) => Inferlog.run(["log", "archive", ...args], settings)
        const archived = yield* run("--older-than", "90d", "--compact", "--json", target)
        assert.include(JSON.parse(archived.stdout), { segments: 1, events: 100 })
        assert.lengthOf(
          fs.readdirSync(target).filter((name) => name.startsWith("segment-000000000001-000000000100-")),
          1
        )
        const verified = yield* Inferlog.run(["log", "verify", "--json"], settings)
        assert.include(JSON.parse(verified.stdout), { ok: true, events: 101 })
        const again = yield* run("--older-than", "90d", "--json", target)
        assert.include(JSON.parse(again.stdout), { segments: 0, events: 0 })
        const bucket = yield* run("--older-than", "90d", "s3://bucket")
        assert.notStrictEqual(bucket.code, 0)
        assert.include(bucket.stderr, "buckets are not supported yet")
        const age = yield* run("--older-than", "soon", target)
        assert.notStrictEqual(age.code, 0)
      })
    )
  )
})
