import * as crypto from "node:crypto"
import * as fs from "node:fs"
import * as path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as SegmentCache from "#src/platform/log/SegmentCache.ts"
import * as TempDirectory from "#test/support/TempDirectory.ts"

const frameOf = (name: string) => {
  const bytes = Buffer.from(name.repeat(100))
  return { bytes, digest: crypto.hash("sha256", bytes, "hex") }
}

describe("the cache of segments", () => {
  it.live("asks once for a frame, again for one that was damaged, and stays below its limit", () =>
    Effect.gen(function* () {
      const directory = yield* TempDirectory.make
      const folder = path.join(directory, "archive-cache")
      const cache = SegmentCache.make(directory, 450)
      const asked: Array<string> = []
      const read = Effect.fnUntraced(function* (name: string) {
        const { bytes, digest } = frameOf(name)
        const fetch = Effect.sync(() => {
          asked.push(name)
          return bytes
        })
        assert.deepStrictEqual(Buffer.from(yield* cache.through(digest, fetch)), bytes)
      })
      yield* read("a")
      yield* read("a")
      fs.writeFileSync(path.join(folder, frameOf("a").digest), "damaged")
      yield* read("a")
      assert.deepStrictEqual(asked, ["a", "a"])
      for (const name of ["b", "c", "d", "e", "f"]) yield* read(name)
      assert.isAtMost(fs.readdirSync(folder).length, 4)
      assert.include(fs.readdirSync(folder), frameOf("f").digest)
      // A folder that cannot be written is no cache.
      fs.rmSync(folder, { recursive: true })
      fs.writeFileSync(folder, "")
      yield* read("g")
      yield* read("g")
      assert.deepStrictEqual(asked.slice(-2), ["g", "g"])
    })
  )
})
