/** Uploads: announced, then sent to URLs of the node, whole or in parts. */
import { assert, describe, it } from "@effect/vitest"
import { ConfigProvider, Duration, Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import * as File from "#domain/file/File.ts"
import { EventReader } from "#streams/EventReader.ts"
import * as StreamName from "#streams/StreamName.ts"
import { Uploads } from "#src/features/files/Uploads.ts"
import { AppendFaults } from "#test/support/AppendFaults.ts"
import * as Library from "#test/support/src/features/files/Library.ts"

const { alice, big, bob, inParts, minPart } = Library

const GiB = 1024 ** 3

const settings = (values: Readonly<Record<string, string>>) =>
  Layer.provide(ConfigProvider.layer(ConfigProvider.fromUnknown(values)))

const eventsOf = Effect.fnUntraced(function* (id: string) {
  const recorded = yield* (yield* EventReader).read(StreamName.make(File.aggregate.category, id))
  return recorded.map(File.aggregate.codec.decode)
})

describe("An announced file", () => {
  it.effect("is recorded without its name, and pending in the list", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(1_000)
      const { fileUrl, id } = yield* Library.initiate({
        fileName: "../secret plans.png",
        contentType: "image/png",
        size: 7
      })
      assert.strictEqual(fileUrl, `https://media.test/media/${id}/${id.slice(0, 8)}-secret%20plans.png`)
      const [initiated] = yield* eventsOf(id)
      assert.deepInclude(initiated, {
        _tag: "UploadInitiated",
        at: 1_000,
        accountId: alice.accountId,
        keyId: alice.keyId,
        contentType: "image/png",
        size: 7,
        method: { _tag: "Single" },
        expiresAt: 1_000 + Duration.toMillis("30 days")
      })
      assert.notInclude(JSON.stringify(initiated), "plans")
      const { items } = yield* Library.list()
      assert.deepInclude(items[0], { fileId: id, fileName: "secret plans.png", size: 7, status: "pending" })
      assert.isNull(yield* Library.read(id))
    }).pipe(Effect.provide(Library.local()))
  )

  it.effect("is rejected when the log rejects it", () =>
    Effect.gen(function* () {
      ;(yield* AppendFaults).fail("UploadInitiated", 2)
      assert.strictEqual(yield* Library.errorAnswer(Library.initiate()), "EventStoreError")
      assert.strictEqual(yield* Library.errorAnswer(Library.initiateMultipart()), "EventStoreError")
      assert.deepStrictEqual(yield* Library.ids(), [])
    }).pipe(Effect.provide(Library.local()))
  )

  it.effect("has at most 5 GiB in one piece, and ten thousand times that in parts", () =>
    Effect.gen(function* () {
      const [one, parts] = [5 * GiB, 10_000 * 5 * GiB]
      yield* Library.initiate({ size: one })
      yield* Library.initiateMultipart({ size: parts })
      const tooLong = yield* Effect.flip(Library.initiate({ size: one + 1 }))
      assert.deepInclude(tooLong, { _tag: "FileTooLarge", limit: one })
      const tooMuch = yield* Effect.flip(Library.initiateMultipart({ size: parts + 1 }))
      assert.deepInclude(tooMuch, { _tag: "FileTooLarge", limit: parts })
      assert.lengthOf(yield* Library.ids(), 2)
    }).pipe(Effect.provide(Library.local()))
  )

  it.effect("can be uploaded until its URL is an hour old, to the millisecond", () =>
    Effect.gen(function* () {
      const [early, late] = [yield* Library.initiate(), yield* Library.initiate()]
      const upload = yield* Library.initiateMultipart()
      const part = yield* Library.partUrl(upload, 1)
      yield* TestClock.adjust(Duration.subtract(Duration.hours(1), Duration.millis(1)))
      yield* Library.put(early.uploadUrl, "purr")
      yield* Library.put(part, "purr")
      yield* TestClock.adjust("1 millis")
      for (const url of [late.uploadUrl, part]) {
        const refused = yield* Effect.flip(Library.put(url, "meow"))
        assert.deepInclude(refused, { _tag: "UrlRefused", reason: "expired" })
      }
      assert.deepStrictEqual([yield* Library.read(early.id), yield* Library.read(late.id)], ["purr", null])
      const etag = yield* Library.put(yield* Library.partUrl(upload, 1), "meow")
      yield* Library.complete(upload, { partNumber: 1, etag })
      assert.strictEqual(yield* Library.read(upload.id), "meow")
    }).pipe(Effect.provide(Library.local()))
  )

  it.effect("is gone when nothing was uploaded within the retention time", () =>
    Effect.gen(function* () {
      const { id } = yield* Library.initiate()
      yield* TestClock.adjust(Duration.subtract(Duration.days(30), Duration.millis(1)))
      assert.deepInclude(yield* Library.get(id), { status: "pending" })
      yield* TestClock.adjust("1 millis")
      assert.strictEqual(yield* Library.errorAnswer(Library.get(id)), "FileGone")
      assert.strictEqual(yield* Library.read(id), "gone")
      yield* Library.sweep
      assert.deepStrictEqual(yield* Library.typesOf(id), [
        "UploadInitiated",
        "FileExpired",
        "PayloadsErased",
        "BytesRemoved"
      ])
    }).pipe(Effect.provide(Library.local()))
  )
})

describe("An upload in parts", () => {
  it.effect("becomes a file when it is completed, and its retention starts then", () =>
    Effect.gen(function* () {
      const { first, second, upload } = yield* inParts({ size: minPart + 3 })
      assert.isNull(yield* Library.read(upload.id))
      yield* TestClock.adjust("6 days")
      const now = Duration.toMillis("6 days")
      assert.strictEqual(yield* Library.complete(upload, second, first), upload.fileUrl)
      assert.strictEqual(yield* Library.read(upload.id), `${big("a")}end`)
      assert.deepInclude(yield* Library.get(upload.id), {
        size: minPart + 3,
        createdAt: 0,
        uploadedAt: now,
        expiresAt: now + Duration.toMillis("30 days")
      })
      const part = yield* Library.errorAnswer(Library.partUrl(upload, 1))
      const again = yield* Library.errorAnswer(Library.complete(upload, first, second))
      assert.deepStrictEqual([part, again], ["AlreadyUploaded", "AlreadyUploaded"])
    }).pipe(Effect.provide(Library.local()))
  )

  it.effect("is unknown to another account, under another id, and for a file in one piece", () =>
    Effect.gen(function* () {
      const { first, upload } = yield* inParts()
      const single = yield* Library.initiate()
      const { partUrl, uploading } = yield* Uploads
      const { named } = upload
      for (const [tag, other] of [
        ["FileForbidden", { ...named, caller: bob }],
        ["FileNotFound", { ...named, uploadId: `${named.uploadId}x` }],
        ["FileNotFound", { ...named, uploadKey: "x".repeat(24) }],
        ["FileNotFound", { ...named, uploadKey: "" }],
        ["FileNotFound", { ...named, uploadKey: "../../etc/passwd" }],
        ["FileNotFound", { ...named, uploadKey: single.id }]
      ] as const) {
        const refused = [
          yield* Library.errorAnswer(partUrl({ ...other, partNumber: 1 })),
          yield* Library.errorAnswer(uploading(other)),
          yield* Library.errorAnswer(Library.complete({ ...upload, named: other }, first))
        ]
        assert.deepStrictEqual(refused, [tag, tag, tag])
      }
      assert.lengthOf((yield* uploading(named)).parts, 2)
    }).pipe(Effect.provide(Library.local()))
  )

  it.effect("that is rejected changes nothing, and may be completed correctly afterwards", () =>
    Effect.gen(function* () {
      const { first, second, upload } = yield* inParts({ size: minPart + 3 })
      const wrong = { ...second, etag: first.etag }
      for (const [reason, parts] of [
        ["not_named", [first]],
        ["missing", [second]],
        ["etag_mismatch", [wrong, first]],
        ["missing", [first, second, { ...second, partNumber: 3 }]]
      ] as const) {
        const [head, ...rest] = parts
        const refused = yield* Effect.flip(Library.complete(upload, head, ...rest))
        assert.deepInclude(refused, { _tag: "PartsRefused", reason })
      }
      const shorter = yield* Library.putPart(upload, 2, "en")
      const refused = yield* Effect.flip(Library.complete(upload, first, shorter))
      assert.deepInclude(refused, { _tag: "PartsRefused", reason: "wrong_size" })
      assert.deepStrictEqual(yield* Library.typesOf(upload.id), ["UploadInitiated"])
      assert.lengthOf((yield* (yield* Uploads).uploading(upload.named)).parts, 2)
      const right = yield* Library.putPart(upload, 2, "end")
      assert.strictEqual(yield* Library.complete(upload, first, right), upload.fileUrl)
    }).pipe(Effect.provide(Library.local()))
  )

  for (const [kept, retention] of [
    ["7 days", "30 days"],
    ["2 days", "2 days"]
  ] as const) {
    it.effect(`is gone after ${kept} with a retention of ${retention}, and so are its parts`, () =>
      Effect.gen(function* () {
        const { first, second, upload } = yield* inParts()
        yield* TestClock.adjust(Duration.subtract(Duration.fromInputUnsafe(kept), Duration.millis(1)))
        yield* Library.sweep
        const url = yield* Library.partUrl(upload, 3)
        yield* TestClock.adjust("1 millis")
        const refused = [
          yield* Library.errorAnswer(Library.partUrl(upload, 3)),
          yield* Library.errorAnswer((yield* Uploads).uploading(upload.named)),
          yield* Library.errorAnswer(Library.complete(upload, first, second)),
          yield* Library.errorAnswer(Library.put(url, "late"))
        ]
        assert.deepStrictEqual(new Set(refused), new Set(["FileGone"]))
        assert.lengthOf(yield* Library.blobsOf(upload.id), 2)
        assert.deepStrictEqual(yield* Library.sweep, { done: 1, failed: 0 })
        assert.deepStrictEqual(yield* Library.blobsOf(upload.id), [])
      }).pipe(Effect.provide(Library.local().pipe(settings({ RETENTION: retention }))))
    )
  }

  it.effect("does not fit any more when another file has used its room", () =>
    Effect.gen(function* () {
      const { first, second, upload } = yield* inParts()
      const { id } = yield* Library.initiate({ size: 1 })
      const refused = yield* Effect.flip(Library.complete(upload, first, second))
      assert.deepInclude(refused, { _tag: "QuotaExceeded", limit: minPart + 3, used: 1 })
      assert.deepStrictEqual(yield* Library.typesOf(upload.id), ["UploadInitiated"])
      yield* Library.remove(id)
      yield* Library.complete(upload, first, second)
      assert.strictEqual(yield* Library.errorAnswer(Library.initiate({ size: 1 })), "QuotaExceeded")
      assert.strictEqual(yield* Library.errorAnswer(Library.initiateMultipart({ size: 1 })), "QuotaExceeded")
    }).pipe(Effect.provide(Library.local().pipe(settings({ STORAGE_QUOTA: `${minPart + 3}B` }))))
  )
})
