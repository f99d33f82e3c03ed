/** Expired files, the rest of interrupted removals, and direct uploads. */
import { assert, describe, it } from "@effect/vitest"
import { Array, Duration, Effect, Layer, Logger, References } from "effect"
import { TestClock } from "effect/testing"
import type { FileId } from "#domain/Ids.ts"
import { ContentTypeMismatch } from "#src/features/media/storage/Reception.ts"
import { MediaStore } from "#src/features/media/MediaStore.ts"
import * as MediaUrl from "#src/features/media/MediaUrl.ts"
import * as Erased from "#test/support/src/features/retention/Erased.ts"
import { AppendFaults } from "#test/support/AppendFaults.ts"
import * as DirectUploadStore from "#test/support/DirectUploadStore.ts"
import * as MediaServices from "#test/support/MediaServices.ts"
import * as TestNode from "#test/support/TestNode.ts"
import * as Library from "#test/support/src/features/files/Library.ts"

const nothing = { done: 0, failed: 0 }

const days = (days: number) => Duration.toMillis(Duration.days(days))

/** The output of a new request. */
const output = Effect.gen(function* () {
  const maker = { ...MediaServices.made.maker, submittedAt: 0 }
  const file = { ...MediaServices.made, maker, fileName: "a.txt", contentType: "text/plain" }
  const { id } = yield* (yield* MediaStore).put({ ...file, body: Buffer.from("made") })
  return id
})

describe("An expired file", () => {
  it.effect("is gone to the millisecond for every reader, and swept after that", () =>
    Effect.gen(function* () {
      const made = yield* output
      yield* TestClock.setTime(1)
      const id = yield* Library.uploaded("purr")
      yield* TestClock.setTime(days(30) - 1)
      assert.strictEqual(yield* Library.read(made), "made")
      yield* TestClock.setTime(days(30))
      assert.deepStrictEqual([yield* Library.read(made), yield* Library.read(id)], ["gone", "purr"])
      assert.deepStrictEqual(yield* Library.sweep, { done: 1, failed: 0 })
      assert.deepStrictEqual(yield* Library.typesOf(made), ["OutputStored", "FileExpired", "BytesRemoved"])
      assert.deepStrictEqual(yield* Library.ids(), [id])

      yield* TestClock.adjust("1 millis")
      assert.strictEqual(yield* Library.read(id), "gone")
      assert.strictEqual(yield* Library.errorAnswer(Library.get(id)), "FileGone")
      assert.deepStrictEqual(yield* Library.ids(), [])
      assert.lengthOf(yield* Library.blobsOf(id), 1)
      assert.deepStrictEqual(yield* Library.sweep, { done: 1, failed: 0 })
      assert.deepStrictEqual(yield* Library.blobsOf(id), [])
      assert.deepStrictEqual((yield* Library.typesOf(id)).slice(-3), [
        "FileExpired",
        "PayloadsErased",
        "BytesRemoved"
      ])
      assert.deepStrictEqual(yield* Library.sweep, nothing)
    }).pipe(Effect.provide(Library.local()))
  )

  it.effect("is swept with all others, over any number of pages", () =>
    Effect.gen(function* () {
      yield* Effect.forEach(Array.range(1, 410), () => output, { concurrency: 16 })
      yield* TestClock.setTime(days(30))
      assert.deepStrictEqual(yield* Library.sweep, { done: 410, failed: 0 })
      assert.deepStrictEqual(yield* Library.sweep, nothing)
    }).pipe(Effect.provide(Library.local()))
  )
})

describe("An interrupted removal", () => {
  for (const lost of ["the bytes are not removed", "their removal is not recorded"] as const) {
    it.effect(`continues in the next pass, on another node, where ${lost}`, () => {
      const blobs = Erased.failingBlobs()
      const store = blobs.layer.pipe(Layer.provideMerge(Library.folder))
      return Effect.gen(function* () {
        const first = yield* TestNode.start({ name: "first", dispatches: false })
        const id = yield* first.on(Library.uploaded("purr"))
        if (lost === "the bytes are not removed") yield* blobs.fail(1)
        else yield* first.on(Effect.map(AppendFaults, (faults) => faults.fail("BytesRemoved", 1)))
        yield* first.on(Library.errorAnswer(Library.remove(id)))
        assert.strictEqual(yield* first.on(Library.read(id)), "gone")
        yield* first.stop
        const heir = yield* TestNode.start({ name: "heir", dispatches: false })
        const sweep = heir.on(Library.sweep)
        assert.deepStrictEqual(yield* sweep, { done: 1, failed: 0 })
        assert.deepStrictEqual(yield* Library.blobsOf(id), [])
        assert.strictEqual((yield* Library.typesOf(id)).at(-1), "BytesRemoved")
        assert.deepStrictEqual(yield* sweep, nothing)
      }).pipe(Effect.scoped, Effect.provide(store))
    })
  }

  it.effect("is logged once while the store fails, and removes the other files", () => {
    const blobs = Erased.failingBlobs()
    const told: Array<unknown> = []
    const logger = Logger.make(({ message }) => void told.push(message))
    return Effect.gen(function* () {
      const removed = yield* Effect.forEach(["a", "b", "c"], (text) => Library.uploaded(text))
      yield* blobs.fail(1_000)
      for (const id of removed)
        assert.strictEqual(yield* Library.errorAnswer(Library.remove(id)), "BlobStoreError")
      const expired = yield* Effect.forEach(["d", "e"], (text) => Library.uploaded(text))
      yield* TestClock.adjust("31 days")
      told.length = 0
      assert.deepStrictEqual(yield* Library.sweep, { done: 0, failed: 5 })
      assert.lengthOf(told, 1)
      // Not for consecutive ones: the first two fail.
      yield* blobs.fail(2)
      assert.deepStrictEqual(yield* Library.sweep, { done: 3, failed: 2 })
      yield* blobs.fail(0)
      assert.deepStrictEqual(yield* Library.sweep, { done: 2, failed: 0 })
      for (const id of [...removed, ...expired]) assert.deepStrictEqual(yield* Library.blobsOf(id), [])
    }).pipe(
      Effect.provideService(References.MinimumLogLevel, "Warn"),
      Effect.provide(
        TestNode.nodeLayer({ dispatches: false }).pipe(
          Layer.provideMerge(blobs.layer.pipe(Layer.provideMerge(Library.folder))),
          Layer.provideMerge(Logger.layer([logger]))
        )
      )
    )
  })
})

describe("A direct upload", () => {
  for (const [finder, find] of [
    ["a reader", (id: FileId) => Library.read(id)],
    ["a list", () => Library.list()]
  ] as const) {
    it.effect(`is found by ${finder}, and recorded once`, () => {
      const store = DirectUploadStore.make()
      return Effect.gen(function* () {
        const { id } = yield* Library.initiate()
        yield* find(id)
        assert.deepStrictEqual(yield* Library.typesOf(id), ["UploadInitiated"])
        yield* store.put(id, "purr")
        yield* TestClock.adjust("1 minute")
        yield* find(id)
        yield* find(id)
        assert.deepStrictEqual(yield* Library.typesOf(id), ["UploadInitiated", "UploadCompleted"])
        assert.strictEqual(yield* Library.read(id), "purr")
        assert.deepInclude(yield* Library.get(id), { uploadedAt: 60_000, expiresAt: 60_000 + days(30) })
      }).pipe(Effect.provide(Library.direct(store)))
    })
  }

  it.effect("has the last uploaded content, which is recorded once and returned by every list", () => {
    const store = DirectUploadStore.make()
    return Effect.gen(function* () {
      const { id } = yield* Library.initiate()
      yield* store.put(id, "purr")
      assert.strictEqual(yield* Library.read(id), "purr")
      const media = yield* MediaStore
      const before = yield* media.find(id)
      yield* TestClock.adjust("1 minute")
      yield* store.put(id, "meow!")
      for (const _ of [1, 2]) assert.strictEqual(yield* Library.read(id), "meow!")
      const after = yield* media.find(id)
      assert.deepStrictEqual([before?.size, after?.size], [4, 5])
      assert.notStrictEqual(before?.etag, after?.etag)
      assert.deepStrictEqual(yield* Library.typesOf(id), [
        "UploadInitiated",
        "UploadCompleted",
        "UploadReplaced"
      ])
      assert.deepStrictEqual((yield* Library.list()).items, [yield* Library.get(id)])
      yield* TestClock.setTime(days(30))
      assert.strictEqual(yield* Library.read(id), "gone")
    }).pipe(Effect.provide(Library.direct(store)))
  })

  it.effect(
    "of another type than the declared one has not arrived, until bytes of that type are sent",
    () => {
      const store = DirectUploadStore.make()
      return Effect.gen(function* () {
        const media = yield* MediaStore
        const { id } = yield* Library.initiate()
        yield* store.put(id, "<html>", "Text/HTML; charset=utf-8")
        const refused = yield* media.locate(id)
        assert.deepStrictEqual(refused, new ContentTypeMismatch({ declared: "image/png", sent: "text/html" }))
        assert.isNull(yield* media.find(id))
        assert.isNull(yield* Library.read(id))
        assert.deepInclude((yield* Library.list()).items[0], { fileId: id, status: "pending" })
        assert.deepStrictEqual(yield* Library.typesOf(id), ["UploadInitiated"])
        yield* store.put(id, "purr", 'Image/PNG; name="x"')
        assert.strictEqual(yield* Library.read(id), "purr")
        assert.deepInclude(yield* media.locate(id), { contentType: "image/png", size: 4 })
      }).pipe(Effect.provide(Library.direct(store)))
    }
  )

  it.effect("of another type than the declared one is removed after its URL has expired", () => {
    const store = DirectUploadStore.make()
    return Effect.gen(function* () {
      const { id } = yield* Library.initiate()
      yield* store.put(id, "<html>", "text/html")
      yield* TestClock.adjust("119 minutes")
      yield* Library.sweep
      assert.isNotEmpty(yield* Library.blobsOf(id))
      yield* TestClock.adjust("1 minute")
      yield* Library.sweep
      assert.deepStrictEqual(yield* Library.blobsOf(id), [])
      assert.deepStrictEqual(yield* Library.typesOf(id), ["UploadInitiated"])
      assert.isNull(yield* Library.read(id))
    }).pipe(Effect.provide(Library.direct(store)))
  })

  it.effect("is checked once by the sweep after its URL has expired, whether present or not", () => {
    const store = DirectUploadStore.make()
    return Effect.gen(function* () {
      const [brought, replaced, skipped] = [
        yield* Library.initiate(),
        yield* Library.initiate(),
        yield* Library.initiate()
      ]
      yield* store.put(brought.id, "purr")
      yield* store.put(replaced.id, "purr")
      assert.strictEqual(yield* Library.read(replaced.id), "purr")
      yield* store.put(replaced.id, "meow!")
      const before = store.looks()
      yield* TestClock.adjust(Duration.subtract(Duration.hours(2), Duration.millis(1)))
      yield* Library.sweep
      assert.strictEqual(store.looks(), before)
      yield* TestClock.adjust("1 millis")
      for (const _ of [1, 2]) yield* Library.sweep
      assert.strictEqual(store.looks(), before + 3)
      assert.deepStrictEqual(yield* Library.typesOf(brought.id), ["UploadInitiated", "UploadCompleted"])
      assert.deepInclude(yield* Library.get(replaced.id), { size: 5 })
      // A late one is still found by a reader.
      yield* store.put(skipped.id, "late")
      assert.strictEqual(yield* Library.read(skipped.id), "late")
    }).pipe(Effect.provide(Library.direct(store)))
  })

  it.effect("after its deletion is removed as long as its URL is valid", () => {
    const store = DirectUploadStore.make()
    return Effect.gen(function* () {
      const { id } = yield* Library.initiate()
      yield* Library.remove(id)
      yield* store.put(id, "purr")
      yield* Library.sweep
      assert.strictEqual(yield* Library.read(id), "gone")
      yield* TestClock.adjust("2 hours")
      assert.deepStrictEqual(yield* Library.sweep, { done: 1, failed: 0 })
      assert.deepStrictEqual(yield* Library.blobsOf(id), [])
      assert.include(yield* Library.typesOf(id), "BytesRemoved")
    }).pipe(Effect.provide(Library.direct(store)))
  })

  it.effect("is removed with its abandoned upload", () => {
    const store = DirectUploadStore.make()
    return Effect.gen(function* () {
      const upload = yield* Library.initiateMultipart()
      store.putPart(upload.named.uploadId, 1, Buffer.from("all"))
      yield* TestClock.adjust("7 days")
      assert.deepStrictEqual(yield* Library.sweep, { done: 1, failed: 0 })
      assert.strictEqual(store.begun(), 0)
      assert.strictEqual(yield* Library.read(upload.id), "gone")
    }).pipe(Effect.provide(Library.direct(store)))
  })

  it.effect("without a record is not a file", () => {
    const store = DirectUploadStore.make()
    return Effect.gen(function* () {
      const id = MediaUrl.makeId()
      yield* store.put(id, "purr")
      assert.isNull(yield* Library.read(id))
      assert.deepStrictEqual(yield* Library.typesOf(id), [])
    }).pipe(Effect.provide(Library.direct(store)))
  })
})
