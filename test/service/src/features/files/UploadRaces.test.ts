/** A multipart upload that is completed repeatedly, deleted meanwhile, or interrupted by a crash. */
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber } from "effect"
import { AppendFaults } from "#test/support/AppendFaults.ts"
import * as DirectUploadStore from "#test/support/DirectUploadStore.ts"
import * as Library from "#test/support/src/features/files/Library.ts"

const { big, inParts } = Library

describe("An upload in parts", () => {
  it.effect("that is completed twice at once is completed once", () =>
    Effect.gen(function* () {
      const { first, second, upload } = yield* inParts()
      const complete = Effect.result(Library.complete(upload, first, second))
      const results = yield* Effect.all([complete, complete, complete], { concurrency: "unbounded" })
      assert.strictEqual(results.filter(({ _tag }) => _tag === "Success").length, 1)
      for (const result of results) {
        if (result._tag === "Failure") assert.strictEqual(result.failure._tag, "AlreadyUploaded")
      }
      assert.deepStrictEqual(yield* Library.typesOf(upload.id), ["UploadInitiated", "UploadCompleted"])
      assert.strictEqual(yield* Library.read(upload.id), `${big("a")}end`)
    }).pipe(Effect.provide(Library.local()))
  )

  it.effect("has its parts assembled one after the other", () => {
    const store = DirectUploadStore.make()
    return Effect.gen(function* () {
      const upload = yield* Library.initiateMultipart()
      const part = { partNumber: 1, etag: store.putPart(upload.named.uploadId, 1, Buffer.from("all")) }
      const isUnderWay = yield* Deferred.make<void>()
      const goOn = yield* Deferred.make<void>()
      store.whenAssembled(Effect.andThen(Deferred.succeed(isUnderWay, undefined), Deferred.await(goOn)))
      const first = yield* Effect.forkChild(Library.complete(upload, part))
      yield* Deferred.await(isUnderWay)
      const second = yield* Effect.forkChild(Library.errorAnswer(Library.complete(upload, part)), {
        startImmediately: true
      })
      yield* Deferred.succeed(goOn, undefined)
      yield* Fiber.join(first)
      assert.strictEqual(yield* Fiber.join(second), "AlreadyUploaded")
      assert.strictEqual(store.assembled(), 1)
    }).pipe(Effect.provide(Library.direct(store)))
  })

  it.effect("that is deleted during its assembly stays deleted, to the last byte", () => {
    const store = DirectUploadStore.make()
    return Effect.gen(function* () {
      const upload = yield* Library.initiateMultipart()
      const part = { partNumber: 1, etag: store.putPart(upload.named.uploadId, 1, Buffer.from("all")) }
      const isUnderWay = yield* Deferred.make<void>()
      const goOn = yield* Deferred.make<void>()
      store.whenAssembled(Effect.andThen(Deferred.succeed(isUnderWay, undefined), Deferred.await(goOn)))
      const completing = yield* Effect.forkChild(Library.errorAnswer(Library.complete(upload, part)))
      yield* Deferred.await(isUnderWay)
      yield* Library.remove(upload.id)
      // It exists again, because a concurrent call combines parts.
      yield* store.put(upload.id, "all")
      yield* Deferred.succeed(goOn, undefined)
      assert.strictEqual(yield* Fiber.join(completing), "FileGone")
      assert.deepStrictEqual(yield* Library.blobsOf(upload.id), [])
      assert.strictEqual(yield* Library.read(upload.id), "gone")
    }).pipe(Effect.provide(Library.direct(store)))
  })

  it.effect("can be deleted, during its completion too", () =>
    Effect.gen(function* () {
      const { first, second, upload } = yield* inParts()
      const [completed] = yield* Effect.all(
        [Effect.result(Library.complete(upload, first, second)), Library.remove(upload.id)],
        { concurrency: "unbounded" }
      )
      if (completed._tag === "Failure") assert.strictEqual(completed.failure._tag, "FileGone")
      assert.strictEqual(yield* Library.read(upload.id), "gone")
      assert.strictEqual(yield* Library.errorAnswer(Library.complete(upload, first, second)), "FileGone")
      yield* Library.sweep
      assert.deepStrictEqual(yield* Library.blobsOf(upload.id), [])
    }).pipe(Effect.provide(Library.local()))
  )
})

describe("After a crash between the assembly of the parts and the event", () => {
  it.effect("the upload is completed by a repeat, in a folder", () =>
    Effect.gen(function* () {
      const { first, second, upload } = yield* inParts()
      ;(yield* AppendFaults).fail("UploadCompleted", 1)
      const crashed = yield* Library.errorAnswer(Library.complete(upload, first, second))
      assert.strictEqual(crashed, "EventStoreError")
      assert.isNull(yield* Library.read(upload.id))
      yield* Library.complete(upload, second, first)
      assert.strictEqual(yield* Library.read(upload.id), `${big("a")}end`)
    }).pipe(Effect.provide(Library.local()))
  )

  it.effect("parts may still be replaced, in a folder", () =>
    Effect.gen(function* () {
      const { first, second, upload } = yield* inParts()
      ;(yield* AppendFaults).fail("UploadCompleted", 1)
      yield* Effect.flip(Library.complete(upload, first, second))
      const other = yield* Library.putPart(upload, 2, "other")
      const stale = yield* Effect.flip(Library.complete(upload, first, second))
      assert.deepInclude(stale, { _tag: "PartsRefused", partNumbers: [2] })
      yield* Library.complete(upload, first, other)
      assert.strictEqual(yield* Library.read(upload.id), `${big("a")}other`)
    }).pipe(Effect.provide(Library.local()))
  )

  it.effect("the upload is completed by a repeat when the parts no longer exist", () => {
    const store = DirectUploadStore.make()
    return Effect.gen(function* () {
      const upload = yield* Library.initiateMultipart()
      const part = { partNumber: 1, etag: store.putPart(upload.named.uploadId, 1, Buffer.from("all")) }
      ;(yield* AppendFaults).fail("UploadCompleted", 1)
      assert.strictEqual(yield* Library.errorAnswer(Library.complete(upload, part)), "EventStoreError")
      assert.isNull(yield* Library.read(upload.id))
      assert.strictEqual(yield* Library.complete(upload, part), upload.fileUrl)
      assert.strictEqual(yield* Library.read(upload.id), "all")
      assert.strictEqual(store.assembled(), 1)
    }).pipe(Effect.provide(Library.direct(store)))
  })

  it.effect("the upload is complete when the event was stored after all", () =>
    Effect.gen(function* () {
      const { first, second, upload } = yield* inParts()
      ;(yield* AppendFaults).fail("UploadCompleted", 1, "stored unheard")
      yield* Effect.flip(Library.complete(upload, first, second))
      assert.strictEqual(yield* Library.read(upload.id), `${big("a")}end`)
      const again = yield* Library.errorAnswer(Library.complete(upload, first, second))
      assert.strictEqual(again, "AlreadyUploaded")
    }).pipe(Effect.provide(Library.local()))
  )
})
