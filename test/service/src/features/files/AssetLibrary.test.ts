/** The files that clients see: uploads and the outputs of their requests. */
import * as crypto from "node:crypto"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { FileId, type RequestId } from "#domain/Ids.ts"
import type { LibraryFile } from "#src/features/files/AssetLibrary.ts"
import { FileActors } from "#src/features/media/storage/FileActors.ts"
import {
  delivered,
  gallery,
  picture,
  server
} from "#test/support/src/features/dispatch/finalize/MediaModel.ts"
import { AppendFaults } from "#test/support/AppendFaults.ts"
import * as DirectUploadStore from "#test/support/DirectUploadStore.ts"
import * as Facts from "#test/support/RequestFacts.ts"
import * as TestNode from "#test/support/TestNode.ts"
import { TestProvider } from "#test/support/TestProvider.ts"
import * as Library from "#test/support/src/features/files/Library.ts"

const { bob } = Library

const running = Library.local({ models: [gallery], dispatches: true })

/** A completed request of Alice with two pictures. */
const completed = Effect.fnUntraced(function* (account = "acc_alice") {
  const { url } = yield* server()
  const id = yield* Facts.submit({ model: gallery, account })
  const run = yield* (yield* TestProvider).next
  yield* run.ends(delivered({ images: [{ url: `${url}/a` }, { url: `${url}/b` }] }))
  yield* Facts.untilEnd(id)
  return id
})

const mediaOf = (id: RequestId) => Effect.map(Facts.snapshot(id, "acc_alice"), ({ request }) => request.media)

/** The result of `list` and `get` for each file, which must be equal. */
const described = Effect.fnUntraced(function* (items: ReadonlyArray<LibraryFile>) {
  for (const item of items) assert.deepStrictEqual(yield* Library.get(item.fileId), item)
  return items
})

describe("Uploaded files", () => {
  it.effect("are listed and returned one by one with the same fields, announced or uploaded", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(5_000)
      const pending = yield* Library.initiate({ fileName: "later.txt", contentType: "text/plain", size: 3 })
      yield* TestClock.adjust("1 seconds")
      const id = yield* Library.uploaded("purr")
      const { items, next, total } = yield* Library.list()
      assert.deepStrictEqual([total, next], [2, null])
      const [first, second] = yield* described(items)
      assert.deepStrictEqual(first, {
        fileId: id,
        fileName: "cat.png",
        url: `https://media.test/media/${id}/${id.slice(0, 8)}-cat.png`,
        contentType: "image/png",
        size: 4,
        status: "uploaded",
        source: "upload",
        purpose: "user_data",
        requestId: null,
        sha256: crypto.hash("sha256", "purr"),
        createdAt: 6_000,
        uploadedAt: 6_000,
        expiresAt: 6_000 + 30 * 86_400_000
      })
      assert.deepInclude(second, {
        fileId: pending.id,
        fileName: "later.txt",
        size: 3,
        status: "pending",
        sha256: null,
        uploadedAt: null
      })
    }).pipe(Effect.provide(Library.local()))
  )

  it.effect("are paginated, each page from the end of the previous one", () =>
    Effect.gen(function* () {
      const all: Array<string> = []
      for (let number = 0; number < 5; number++) {
        all.unshift((yield* Library.initiate()).id)
        yield* TestClock.adjust("1 millis")
      }
      const first = yield* Library.list({ limit: 2 })
      yield* Library.initiate({ fileName: "newer.png" })
      const second = yield* Library.list({ limit: 2, after: first.next })
      const third = yield* Library.list({ limit: 2, after: second.next })
      assert.deepStrictEqual(
        [first, second, third].flatMap(({ items }) => items.map(({ fileId }) => fileId)),
        all
      )
      assert.isNull(third.next)
      assert.deepStrictEqual(yield* Library.ids({ limit: 2, page: 3 }), all.slice(3))
      assert.strictEqual(third.total, 6)
      const exactly = yield* Library.list({ limit: 6 })
      assert.deepStrictEqual([exactly.items.length, exactly.next], [6, null])
    }).pipe(Effect.provide(Library.local()))
  )

  it.effect("are invisible to other accounts", () =>
    Effect.gen(function* () {
      const id = yield* Library.uploaded("purr")
      assert.deepStrictEqual(yield* Library.ids({ caller: bob }), [])
      assert.strictEqual(yield* Library.errorAnswer(Library.get(id, bob)), "FileForbidden")
      assert.strictEqual(yield* Library.errorAnswer(Library.remove(id, bob)), "FileForbidden")
      for (const unknown of ["", "x".repeat(24), "../../etc/passwd"]) {
        assert.strictEqual(yield* Library.errorAnswer(Library.get(unknown)), "FileNotFound")
        assert.strictEqual(yield* Library.errorAnswer(Library.remove(unknown)), "FileNotFound")
      }
      assert.strictEqual(yield* Library.read(id), "purr")
    }).pipe(Effect.provide(Library.local()))
  )

  it.effect("are deleted with all bytes, pending or uploaded", () =>
    Effect.gen(function* () {
      const present = yield* Library.uploaded("purr")
      const { id: pending, uploadUrl } = yield* Library.initiate()
      const upload = yield* Library.initiateMultipart()
      yield* Library.putPart(upload, 1, "a")
      for (const id of [present, pending, upload.id]) {
        yield* Library.remove(id)
        yield* Library.remove(id)
        assert.strictEqual(yield* Library.errorAnswer(Library.get(id)), "FileGone")
        assert.strictEqual(yield* Library.read(id), "gone")
        assert.deepStrictEqual(yield* Library.blobsOf(id), [])
        assert.deepStrictEqual((yield* Library.typesOf(id)).slice(-3), [
          "FileDeleted",
          "PayloadsErased",
          "BytesRemoved"
        ])
        assert.strictEqual(yield* Library.errorAnswer(Library.get(id, bob)), "FileForbidden")
      }
      assert.strictEqual(yield* Library.errorAnswer(Library.put(uploadUrl, "late")), "FileGone")
      assert.deepStrictEqual(yield* Library.ids(), [])
    }).pipe(Effect.provide(Library.local()))
  )

  it.effect("stay unchanged when the log rejects their deletion", () =>
    Effect.gen(function* () {
      const id = yield* Library.uploaded("purr")
      ;(yield* AppendFaults).fail("FileDeleted", 1)
      assert.strictEqual(yield* Library.errorAnswer(Library.remove(id)), "EventStoreError")
      assert.strictEqual(yield* Library.read(id), "purr")
      assert.deepStrictEqual(yield* Library.ids(), [id])
      yield* Library.remove(id)
      assert.strictEqual(yield* Library.read(id), "gone")
    }).pipe(Effect.provide(Library.local()))
  )
})

describe("Output files of a request", () => {
  it.effect("are linked to it, without their thumbnails", () =>
    Effect.gen(function* () {
      const id = yield* completed()
      const media = yield* mediaOf(id)
      yield* Library.uploaded("mine")
      const { items, total } = yield* Library.list({ requestId: id })
      assert.strictEqual(total, 2)
      for (const item of yield* described(items)) {
        assert.deepInclude(item, {
          source: "output",
          requestId: id,
          status: "uploaded",
          size: picture.length
        })
      }
      assert.sameMembers(
        items.map(({ fileId }) => String(fileId)),
        media.map(({ fileId }) => fileId)
      )
      assert.lengthOf(yield* Library.ids(), 3)
      assert.lengthOf(yield* Library.ids({ source: "output" }), 2)
      assert.deepStrictEqual(yield* Library.ids({ requestId: id, source: "upload" }), [])
      assert.strictEqual(
        yield* Library.errorAnswer(Library.list({ caller: bob, requestId: id })),
        "RequestForbidden"
      )
      for (const { thumbnailId } of media) {
        if (thumbnailId === null) return assert.fail("no thumbnail")
        assert.strictEqual(yield* Library.errorAnswer(Library.get(thumbnailId)), "FileNotFound")
        assert.strictEqual(yield* Library.errorAnswer(Library.remove(thumbnailId)), "FileNotFound")
      }
    }).pipe(Effect.scoped, Effect.provide(running))
  )

  it.effect("are deleted with their thumbnails, and the request still returns their URLs", () =>
    Effect.gen(function* () {
      const id = yield* completed()
      const before = yield* mediaOf(id)
      const [file, other] = yield* Library.ids({ requestId: id })
      const thumbnailOf = (fileId: string | undefined) =>
        Library.idOf(
          `https://media.test/media/${before.find((stored) => stored.fileId === fileId)?.thumbnailId}/x`
        )
      if (file === undefined || other === undefined) return assert.fail("no files")
      yield* Library.remove(file)
      assert.strictEqual(yield* Library.read(file), "gone")
      assert.strictEqual(yield* Library.read(thumbnailOf(file)), "gone")
      assert.deepStrictEqual(yield* Library.blobsOf(thumbnailOf(file)), [])
      assert.isNotNull(yield* Library.read(thumbnailOf(other)))
      assert.deepStrictEqual(yield* Library.ids(), [other])
      assert.strictEqual(yield* Library.errorAnswer(Library.get(file)), "FileGone")
      assert.deepStrictEqual(yield* mediaOf(id), before)
    }).pipe(Effect.scoped, Effect.provide(running))
  )

  it.effect("are deleted with their thumbnails on a node that has not yet read how the request ended", () =>
    Effect.gen(function* () {
      const maker = yield* TestNode.start({ name: "maker", models: [gallery] })
      const other = yield* TestNode.start({ name: "other", models: [gallery], follows: false })
      const { url } = yield* server()
      const id = yield* maker.on(Facts.submit({ model: gallery, account: "acc_alice" }))
      const run = yield* (yield* TestProvider).next
      yield* other.on(Facts.snapshot(id, "acc_alice"))
      yield* maker.on(run.ends(delivered({ images: [{ url: `${url}/a` }] }, 1)))
      yield* maker.on(Facts.untilEnd(id))
      const [media] = yield* maker.on(mediaOf(id))
      if (media === undefined || media.thumbnailId === null) return assert.fail("no thumbnail")
      yield* other.on(Library.remove(media.fileId))
      assert.deepStrictEqual(yield* Library.blobsOf(FileId.make(media.thumbnailId)), [])
    }).pipe(Effect.scoped, Effect.provide(Library.folder))
  )

  it.effect("are found again after a removal stopped between the thumbnail and the file", () =>
    Effect.gen(function* () {
      const id = yield* completed()
      const [file] = yield* Library.ids({ requestId: id })
      if (file === undefined) return assert.fail("no file")
      let deletions = 0
      ;(yield* AppendFaults).decide(({ events }) =>
        events.some(({ type }) => type === "FileDeleted") && ++deletions === 2 ? "refused" : "stored"
      )
      assert.strictEqual(yield* Library.errorAnswer(Library.remove(file)), "EventStoreError")
      assert.include(yield* Library.ids(), file)
      yield* Library.remove(file)
      assert.strictEqual(yield* Library.read(file), "gone")
      assert.notInclude(yield* Library.ids(), file)
    }).pipe(Effect.scoped, Effect.provide(running))
  )
})

describe("A node with only the log and the blobs", () => {
  it.effect("returns the same for all files", () =>
    Effect.gen(function* () {
      const all = Effect.gen(function* () {
        const { items, total } = yield* Library.list()
        const texts = yield* Effect.forEach(items, ({ fileId }) => Library.read(fileId))
        return { items: yield* described(items), total, texts }
      })
      const first = yield* TestNode.start({ name: "first", models: [gallery] })
      const before = yield* first.on(
        Effect.gen(function* () {
          yield* completed()
          yield* Library.initiate({ size: 9 })
          yield* TestClock.adjust("1 minute")
          yield* Library.uploaded("purr", { fileName: "kept.png" })
          yield* Library.remove(yield* Library.uploaded("gone"))
          const upload = yield* Library.initiateMultipart()
          yield* Library.complete(upload, yield* Library.putPart(upload, 1, "part"))
          return yield* all
        })
      )
      yield* first.stop
      assert.deepStrictEqual([before.total, before.items.length], [5, 5])
      const heir = yield* TestNode.start({ name: "heir", models: [gallery] })
      assert.deepStrictEqual(yield* heir.on(all), before)
    }).pipe(Effect.scoped, Effect.provide(Library.folder))
  )
})

describe("A file that was uploaded directly to the store", () => {
  it.effect("is detected by the first read, and later lists agree", () => {
    const store = DirectUploadStore.make()
    return Effect.gen(function* () {
      const { id } = yield* Library.initiate({ size: 100 })
      assert.deepInclude(yield* Library.get(id), { status: "pending", size: 100 })
      yield* store.put(id, "purr")
      const { items } = yield* Library.list()
      assert.deepInclude(items[0], { status: "uploaded", size: 4, sha256: null })
      yield* described(items)
      assert.deepStrictEqual((yield* Library.list()).items, items)
      assert.deepStrictEqual(yield* Library.typesOf(id), ["UploadInitiated", "UploadCompleted"])
      assert.strictEqual((yield* (yield* FileActors).current(id)).state._tag, "Present")
    }).pipe(Effect.provide(Library.direct(store)))
  })
})
