/** What every blob store must do. Run by a test file for each backend. */
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber, type Layer, Stream } from "effect"
import { BlobStore, BlobStoreError } from "#streams/BlobStore.ts"
import { pattern } from "#test/support/Pattern.ts"

const bytesOf = (text: string) => new TextEncoder().encode(text)

const readBytes = Effect.fnUntraced(function* (
  key: string,
  range?: { readonly start: number; readonly length: number }
) {
  const store = yield* BlobStore
  const blob = yield* store.get(key, range)
  return blob === null ? null : yield* Stream.mkUint8Array(blob.body)
})

const chunked = (bytes: Uint8Array, chunkSize: number) =>
  Stream.fromIterable(
    Array.from({ length: Math.ceil(bytes.length / chunkSize) }, (_, index) =>
      bytes.subarray(index * chunkSize, (index + 1) * chunkSize)
    )
  )

const notKeys: ReadonlyArray<string> = [
  "",
  "/",
  "/etc/passwd",
  "a/",
  "a//b",
  ".",
  "..",
  "../a",
  "a/../b",
  "a/..",
  "a/./b",
  "a\\b",
  "a b",
  "a\0b",
  "a\n",
  "%2e%2e/a",
  "~incoming/a",
  "ключ",
  `${"a".repeat(256)}`,
  Array.from({ length: 300 }, () => "abc").join("/")
]

export const blobStoreContract = (backend: string, layer: Layer.Layer<BlobStore, unknown>): void => {
  const test = (name: string, body: Effect.Effect<void, unknown, BlobStore>) =>
    it.live(name, () => Effect.provide(body, layer))

  describe(`BlobStore on ${backend}`, () => {
    test(
      "returns the stored bytes and their size",
      Effect.gen(function* () {
        const store = yield* BlobStore
        assert.strictEqual(yield* store.put("a/b-1/c_2.txt", bytesOf("hello")), 5)
        assert.strictEqual(yield* store.size("a/b-1/c_2.txt"), 5)
        assert.strictEqual((yield* store.get("a/b-1/c_2.txt"))?.size, 5)
        assert.deepStrictEqual(yield* readBytes("a/b-1/c_2.txt"), bytesOf("hello"))
      })
    )

    test(
      "stores an empty blob",
      Effect.gen(function* () {
        const store = yield* BlobStore
        assert.strictEqual(yield* store.put("empty", Stream.empty), 0)
        assert.strictEqual(yield* store.size("empty"), 0)
        assert.strictEqual((yield* readBytes("empty"))?.length, 0)
      })
    )

    test(
      "stores a streamed body of 5 MiB byte for byte",
      Effect.gen(function* () {
        const store = yield* BlobStore
        const bytes = pattern(5 * 1024 * 1024)
        assert.strictEqual(yield* store.put("big", chunked(bytes, 65_000)), bytes.length)
        const read = yield* readBytes("big")
        assert.isTrue(read !== null && Buffer.from(bytes).equals(read))
      })
    )

    test(
      "returns null for a missing blob, also below or above the name of an existing one",
      Effect.gen(function* () {
        const store = yield* BlobStore
        yield* store.put("folder/file", bytesOf("x"))
        for (const key of ["nothing", "folder", "folder/file/inside", "folder/other", "nothing/at/all"]) {
          assert.isNull(yield* store.get(key), key)
          assert.isNull(yield* store.size(key), key)
        }
      })
    )

    test(
      "replaces a whole blob",
      Effect.gen(function* () {
        const store = yield* BlobStore
        yield* store.put("replaced", bytesOf("a longer first version"))
        yield* store.put("replaced", bytesOf("second"))
        assert.deepStrictEqual(yield* readBytes("replaced"), bytesOf("second"))
      })
    )

    test(
      "reads any range, clipped to the blob",
      Effect.gen(function* () {
        const store = yield* BlobStore
        const bytes = pattern(1_000_000)
        yield* store.put("ranged", bytes)
        for (const { start, length } of [
          { start: 0, length: 1 },
          { start: 999_999, length: 1 },
          { start: 262_143, length: 2 },
          { start: 10, length: 700_000 },
          { start: 999_990, length: 50 },
          { start: 5, length: 0 },
          { start: 1_000_000, length: 1 },
          { start: 2_000_000, length: 10 }
        ]) {
          const blob = yield* store.get("ranged", { start, length })
          assert.strictEqual(blob?.size, bytes.length, "the size is the whole blob's")
          const read = yield* readBytes("ranged", { start, length })
          const expected = bytes.slice(start, start + length)
          assert.isTrue(read !== null && Buffer.from(expected).equals(read), `${start}+${length}`)
        }
      })
    )

    test(
      "rejects a range that is not of whole, non-negative numbers",
      Effect.gen(function* () {
        const store = yield* BlobStore
        yield* store.put("ranged", bytesOf("text"))
        for (const [start, length] of [
          [-1, 1],
          [0, -1],
          [0.5, 1],
          [Number.NaN, 1],
          [0, Number.POSITIVE_INFINITY]
        ] as const) {
          assert.instanceOf(yield* Effect.flip(store.get("ranged", { start, length })), BlobStoreError)
        }
      })
    )

    test(
      "removes only the named blob, repeatedly without an error",
      Effect.gen(function* () {
        const store = yield* BlobStore
        yield* store.put("gone/a", bytesOf("a"))
        yield* store.put("gone/b", bytesOf("b"))
        yield* store.remove("gone/a")
        yield* store.remove("gone/a")
        yield* store.remove("gone")
        assert.isNull(yield* store.get("gone/a"))
        assert.deepStrictEqual(yield* readBytes("gone/b"), bytesOf("b"))
        yield* store.remove("gone/b")
        yield* store.put("gone/b", bytesOf("again"))
        assert.deepStrictEqual(yield* readBytes("gone/b"), bytesOf("again"))
      })
    )

    test(
      "leaves the old blob, or none, if a body fails midway",
      Effect.gen(function* () {
        const store = yield* BlobStore
        const failing = Stream.concat(
          Stream.make(pattern(100_000)),
          Stream.fail(new BlobStoreError({ reason: "the sender is gone" }))
        )
        yield* store.put("kept", bytesOf("old"))
        assert.strictEqual((yield* Effect.flip(store.put("kept", failing))).reason, "the sender is gone")
        assert.strictEqual((yield* Effect.flip(store.put("new", failing))).reason, "the sender is gone")
        assert.deepStrictEqual(yield* readBytes("kept"), bytesOf("old"))
        assert.isNull(yield* store.get("new"))
      })
    )

    test(
      "leaves nothing if a put is interrupted midway",
      Effect.gen(function* () {
        const store = yield* BlobStore
        const underway = yield* Deferred.make<void>()
        const stalled = Stream.make(pattern(100_000)).pipe(
          Stream.concat(Stream.fromEffectDrain(Deferred.succeed(underway, undefined))),
          Stream.concat(Stream.never)
        )
        const fiber = yield* Effect.forkChild(store.put("stalled", stalled))
        yield* Deferred.await(underway)
        yield* Fiber.interrupt(fiber)
        assert.isNull(yield* store.get("stalled"))
      })
    )

    test(
      "stores one complete body of many concurrent puts under one key",
      Effect.gen(function* () {
        const store = yield* BlobStore
        const bodies = Array.from({ length: 8 }, (_, seed) => pattern(200_000 + seed, seed))
        yield* Effect.forEach(bodies, (body) => store.put("contested/key", chunked(body, 10_000)), {
          concurrency: "unbounded"
        })
        const read = yield* readBytes("contested/key")
        assert.strictEqual(bodies.filter((body) => read !== null && Buffer.from(body).equals(read)).length, 1)
      })
    )

    test(
      "puts and removes blobs of one folder concurrently without losing any",
      Effect.gen(function* () {
        const store = yield* BlobStore
        const cycle = (name: number) =>
          store
            .put(`busy/folder/${name}`, bytesOf("x"))
            .pipe(Effect.andThen(store.remove(`busy/folder/${name}`)), Effect.repeat({ times: 50 }))
        yield* Effect.forEach([1, 2], cycle, { concurrency: "unbounded" })
        yield* store.put("busy/folder/last", bytesOf("last"))
        assert.deepStrictEqual(yield* readBytes("busy/folder/last"), bytesOf("last"))
        assert.isNull(yield* store.get("busy/folder/1"))
      })
    )

    test(
      "lists the blobs directly below a folder, in the order of their keys",
      Effect.gen(function* () {
        const store = yield* BlobStore
        const keys = ["listed/b", "listed/a-1", "listed/a", "listed/B", "listed/10", "listed/9", "listed/a.x"]
        for (const key of keys) yield* store.put(key, bytesOf(key))
        for (const key of ["listed/a.parts/1", "listed2/a", "deep/listed/a", "listed.a"])
          yield* store.put(key, bytesOf("x"))
        assert.deepStrictEqual(
          yield* Stream.runCollect(store.list("listed")),
          keys.toSorted().map((key) => ({ key, size: key.length }))
        )
        assert.deepStrictEqual(yield* Stream.runCollect(store.list("listed/a.parts")), [
          { key: "listed/a.parts/1", size: 1 }
        ])
      })
    )

    test(
      "lists nothing for a missing folder, a blob, and a folder without blobs",
      Effect.gen(function* () {
        const store = yield* BlobStore
        yield* store.put("some/blob", bytesOf("x"))
        yield* store.put("once/blob", bytesOf("x"))
        yield* store.remove("once/blob")
        for (const folder of ["nothing", "nothing/at/all", "some/blob", "some/blob/inside", "so", "once"])
          assert.deepStrictEqual(yield* Stream.runCollect(store.list(folder)), [], folder)
      })
    )

    test(
      "lists the remaining blobs of a folder while others change",
      Effect.gen(function* () {
        const store = yield* BlobStore
        const staying = Array.from({ length: 20 }, (_, index) => `moving/stays-${index + 10}`)
        yield* Effect.forEach(staying, (key) => store.put(key, bytesOf("x")))
        const passing = store
          .put("moving/passes", bytesOf("x"))
          .pipe(Effect.andThen(store.remove("moving/passes")), Effect.repeat({ times: 30 }))
        const fiber = yield* Effect.forkChild(passing)
        while (fiber.pollUnsafe() === undefined) {
          const listed = yield* Stream.runCollect(store.list("moving"))
          const keys = listed.map(({ key }) => key).filter((key) => key !== "moving/passes")
          assert.deepStrictEqual(keys, staying)
        }
        yield* Fiber.join(fiber)
      })
    )

    test(
      "rejects an invalid key in every operation without repeating it",
      Effect.gen(function* () {
        const store = yield* BlobStore
        for (const key of notKeys) {
          for (const refused of [
            yield* Effect.flip(store.put(key, bytesOf("x"))),
            yield* Effect.flip(store.get(key)),
            yield* Effect.flip(store.size(key)),
            yield* Effect.flip(store.remove(key)),
            yield* Effect.flip(Stream.runDrain(store.list(key)))
          ]) {
            assert.instanceOf(refused, BlobStoreError)
            assert.strictEqual(refused.reason, "expected a blob key: segments of [A-Za-z0-9._-] joined by /")
          }
        }
      })
    )

    test(
      "accepts dots and dashes in a key",
      Effect.gen(function* () {
        const store = yield* BlobStore
        for (const key of ["...", ".hidden", "a..b", "-", "_/.x/y.", "a".repeat(255)]) {
          yield* store.put(key, bytesOf(key))
          assert.deepStrictEqual(yield* readBytes(key), bytesOf(key))
        }
      })
    )
  })
}
