import * as fs from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Exit, Layer, Scope } from "effect"
import { hashFile } from "#src/features/media/storage/local/HashFile.ts"
import { HashThreads } from "#src/features/media/storage/local/HashThreads.ts"
import * as Puts from "#test/support/src/features/media/storage/local/Puts.ts"
import * as TempDirectory from "#test/support/TempDirectory.ts"

const MiB = 1024 * 1024
const size = 64 * MiB
const bytes = Buffer.concat(Array.from({ length: 64 }, (_, seed) => Puts.pattern(MiB, seed)))

const open = Effect.gen(function* () {
  const path = `${yield* TempDirectory.make}/file`
  fs.writeFileSync(path, bytes)
  const descriptor = yield* Effect.acquireRelease(
    Effect.sync(() => fs.openSync(path, "r")),
    (descriptor) => Effect.sync(() => fs.closeSync(descriptor))
  )
  return { path, descriptor }
})

describe("HashThreads", () => {
  it.live("hashes files and chunks concurrently", () =>
    Effect.gen(function* () {
      const threads = yield* HashThreads
      const { path } = yield* open
      const ofChunks = Effect.gen(function* () {
        const hashing = yield* threads.begin("sha256")
        for (let at = 0; at < 3 * MiB; at += 1_000) {
          // Parts of a larger buffer; the other bytes do not count.
          hashing.update(bytes.subarray(at, Math.min(at + 1_000, 3 * MiB)))
          yield* hashing.caughtUp(MiB)
        }
        return yield* hashing.digest
      })
      const [file, again, chunks] = yield* Effect.all(
        [hashFile(threads, path), hashFile(threads, path), ofChunks],
        {
          concurrency: "unbounded"
        }
      )
      assert.deepStrictEqual(file, { size, etag: Puts.md5(bytes), sha256: Puts.sha256(bytes) })
      assert.deepStrictEqual(again, file)
      assert.strictEqual(chunks, Puts.sha256(bytes.subarray(0, 3 * MiB)))
      assert.strictEqual(bytes.length, size, "what was told is still there")
    }).pipe(Effect.scoped, Effect.provide(HashThreads.layer))
  )

  it.live("stops reading a file when its caller is interrupted", () =>
    Effect.gen(function* () {
      const threads = yield* HashThreads
      const { descriptor } = yield* open
      const scope = yield* Scope.make()
      const hashing = yield* Scope.provide(threads.begin("md5"), scope)
      hashing.read(descriptor, 0, size)
      assert.strictEqual(hashing.behind(), size)
      yield* Scope.close(scope, Exit.void)
      assert.strictEqual(hashing.behind(), 0)
    }).pipe(Effect.scoped, Effect.provide(HashThreads.layer))
  )

  it.live("reports a file that cannot be read, and continues with others", () =>
    Effect.gen(function* () {
      const threads = yield* HashThreads
      const { descriptor, path } = yield* open
      const hashing = yield* threads.begin("md5")
      hashing.read(descriptor, 0, size + 1)
      yield* hashing.caughtUp(0)
      assert.strictEqual((yield* Effect.flip(hashing.digest))._tag, "BlobStoreError")
      assert.strictEqual((yield* hashFile(threads, path)).etag, Puts.md5(bytes))
    }).pipe(Effect.scoped, Effect.provide(HashThreads.layer))
  )

  it.live("ends within a second, in the middle of its work, and fails waiting calls", () =>
    Effect.gen(function* () {
      const { descriptor } = yield* open
      const scope = yield* Scope.make()
      const { begin } = yield* Effect.map(Layer.buildWithScope(HashThreads.layer, scope), (context) =>
        Context.get(context, HashThreads)
      )
      const hashing = yield* begin("md5")
      for (let round = 0; round < 100; round++) hashing.read(descriptor, 0, MiB)
      const began = performance.now()
      yield* Scope.close(scope, Exit.void)
      assert.isBelow(performance.now() - began, 1_000)
      assert.strictEqual((yield* Effect.flip(hashing.digest))._tag, "BlobStoreError")
    }).pipe(Effect.scoped)
  )
})
