import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber, Layer, Stream } from "effect"
import { TestClock } from "effect/testing"
import * as FilesProjection from "#projections/files/FilesProjection.ts"
import { type Brought, DirectUploads } from "#src/features/files/DirectUploads.ts"
import { BlobStore, BlobStoreError } from "#streams/BlobStore.ts"
import * as Library from "#test/support/src/features/files/Library.ts"

const services = DirectUploads.layer.pipe(
  Layer.provideMerge(Library.local({ projections: [FilesProjection.projection] }))
)

const store = (brought: Partial<Brought>) =>
  Effect.flatMap(DirectUploads, (uploads) =>
    uploads.store({
      caller: Library.alice,
      fileName: "a.txt",
      contentType: "text/plain",
      size: 4,
      body: Stream.make(Buffer.from("ab"), Buffer.from("cd")),
      ...brought
    })
  )

/** A file with half of its bytes; nothing more comes before `end`. */
const halfway = Effect.gen(function* () {
  const begun = yield* Deferred.make<void>()
  const end = yield* Deferred.make<never, BlobStoreError>()
  const body = Stream.concat(
    Stream.succeed(Buffer.from("ab")),
    Stream.fromEffect(Effect.andThen(Deferred.succeed(begun, undefined), Deferred.await(end)))
  )
  const storing = yield* Effect.forkChild(store({ body }), { startImmediately: true })
  yield* Deferred.await(begun)
  const { items } = yield* Library.list()
  const [item] = items
  if (item === undefined || items.length > 1) return yield* Effect.die("expected one file")
  return { item, storing, end }
})

/** None of it can be read, and no list shows it. */
const isGone = Effect.fnUntraced(function* (id: Parameters<typeof Library.read>[0]) {
  assert.deepStrictEqual(yield* Library.ids(), [])
  assert.strictEqual(yield* Library.read(id), "gone")
  const blobs = yield* BlobStore
  assert.deepStrictEqual(yield* Stream.runCollect(blobs.list("media")), [])
})

describe("DirectUploads", () => {
  it.effect("lists a file during its upload, and removes it when its caller disconnects", () =>
    Effect.gen(function* () {
      const { item, storing } = yield* halfway
      assert.deepInclude(item, { fileName: "a.txt", size: 4, status: "pending" })
      yield* Fiber.interrupt(storing)
      yield* isGone(item.fileId)
      assert.deepStrictEqual(yield* Library.typesOf(item.fileId), [
        "UploadInitiated",
        "FileDeleted",
        "PayloadsErased",
        "BytesRemoved"
      ])
    }).pipe(Effect.provide(services))
  )

  it.effect("leaves nothing when its caller disconnects during the announcement", () =>
    Effect.gen(function* () {
      const storing = yield* Effect.forkChild(store({ body: Stream.never }), { startImmediately: true })
      yield* Fiber.interrupt(storing)
      assert.deepStrictEqual(yield* Library.ids(), [])
      assert.deepStrictEqual(yield* Library.sweep, { done: 0, failed: 0 })
      yield* TestClock.adjust("1 hour")
      assert.deepStrictEqual(yield* Library.sweep, { done: 0, failed: 0 })
    }).pipe(Effect.provide(services))
  )

  it.effect("removes a file whose body fails", () =>
    Effect.gen(function* () {
      const { end, item, storing } = yield* halfway
      yield* Deferred.fail(end, new BlobStoreError({ reason: "the body broke off" }))
      assert.deepInclude(yield* Effect.flip(Fiber.join(storing)), { reason: "the body broke off" })
      yield* isGone(item.fileId)
    }).pipe(Effect.provide(services))
  )

  it.effect("removes a file whose body has another size than announced", () =>
    Effect.gen(function* () {
      const failure = yield* Effect.flip(store({ size: 5 }))
      assert.match(failure._tag === "BlobStoreError" ? failure.reason : "", /another size/)
      assert.deepStrictEqual(yield* Library.ids(), [])
      const blobs = yield* BlobStore
      assert.deepStrictEqual(yield* Stream.runCollect(blobs.list("media")), [])
    }).pipe(Effect.provide(services))
  )

  it.effect("leaves an unfinished file, which the sweep removes after an hour", () =>
    Effect.gen(function* () {
      const { end, item, storing } = yield* halfway
      yield* TestClock.adjust("59 minutes")
      assert.deepStrictEqual(yield* Library.sweep, { done: 0, failed: 0 })
      yield* TestClock.adjust("1 minute")
      assert.deepStrictEqual(yield* Library.sweep, { done: 1, failed: 0 })
      yield* isGone(item.fileId)
      yield* Deferred.interrupt(end)
      yield* Fiber.await(storing)
      yield* isGone(item.fileId)
    }).pipe(Effect.provide(services))
  )

  it.effect("removes the bytes of a file that was deleted during its upload", () =>
    Effect.gen(function* () {
      const begun = yield* Deferred.make<void>()
      const go = yield* Deferred.make<void>()
      const body = Stream.fromEffect(
        Effect.as(Effect.andThen(Deferred.succeed(begun, undefined), Deferred.await(go)), Buffer.from("abcd"))
      )
      const storing = yield* Effect.forkChild(store({ body }), { startImmediately: true })
      yield* Deferred.await(begun)
      const [id = ""] = yield* Library.ids()
      yield* Library.remove(id)
      yield* Deferred.succeed(go, undefined)
      assert.strictEqual((yield* Effect.flip(Fiber.join(storing)))._tag, "FileGone")
      yield* isGone(Library.idOf(`https://media.test/media/${id}/a`))
    }).pipe(Effect.provide(services))
  )

  it.effect("stores four files of an account at once, and those of others meanwhile", () =>
    Effect.gen(function* () {
      const end = yield* Deferred.make<never, BlobStoreError>()
      const four = yield* Deferred.make<void>()
      let begun = 0
      const begin = Effect.suspend(() =>
        ++begun === 4 ? Effect.asVoid(Deferred.succeed(four, undefined)) : Effect.void
      )
      const body = Stream.fromEffect(Effect.andThen(begin, Deferred.await(end)))
      const failing = Effect.flip(store({ body }))
      const storing = yield* Effect.forEach([1, 2, 3, 4], () => Effect.forkChild(failing))
      yield* Deferred.await(four)
      const fifth = yield* Effect.forkChild(failing, { startImmediately: true })
      assert.deepInclude(yield* store({ caller: Library.bob }), { size: 4 })
      yield* TestClock.adjust("30 seconds")
      assert.strictEqual((yield* Fiber.join(fifth))._tag, "TooManyUploads")
      assert.strictEqual(begun, 4)
      yield* Deferred.fail(end, new BlobStoreError({ reason: "over" }))
      yield* Effect.forEach(storing, Fiber.join)
    }).pipe(Effect.provide(services))
  )
})
