import * as crypto from "node:crypto"
import { assert, describe, it } from "@effect/vitest"
import { Array, Clock, Effect, Layer, Schema, Stream } from "effect"
import { FileId } from "#domain/Ids.ts"
import { PartsRefused, UploadStore, type UploadTarget } from "#src/features/media/storage/UploadStore.ts"
import * as S3BlobStore from "#src/platform/blobs/s3/S3BlobStore.ts"
import type { S3Options } from "#src/platform/blobs/s3/S3Options.ts"
import * as S3UploadStore from "#src/features/media/storage/S3UploadStore.ts"
import { BlobStore } from "#streams/BlobStore.ts"
import * as S3Programs from "#test/support/servers/S3Programs.ts"
import * as S3Server from "#test/support/servers/S3Server.ts"
import * as TcpProxy from "#test/support/servers/TcpProxy.ts"
import * as TestBucket from "#test/support/src/platform/blobs/s3/TestBucket.ts"

const MiB = 1024 * 1024

const target = (size: number | null = null): UploadTarget => ({
  id: Schema.decodeSync(FileId)(crypto.randomBytes(18).toString("base64url")),
  fileName: "a file.png",
  contentType: "image/png",
  size
})

const inAnHour = Effect.map(Clock.currentTimeMillis, (now) => ({ expiresAt: now + 3_600_000 }))

const put = (url: string, bytes: string | Uint8Array<ArrayBuffer>, init: RequestInit = {}) =>
  Effect.promise(async () => {
    const headers = { "content-type": "image/png" }
    const response = await fetch(url, { method: "PUT", body: bytes, headers, ...init })
    const body = await response.text()
    return { status: response.status, body, etag: (response.headers.get("etag") ?? "").replaceAll('"', "") }
  })

const md5 = (bytes: string | Uint8Array) => crypto.createHash("md5").update(bytes).digest("hex")

/** The result of S3 for a file of parts. */
const etagOf = (parts: ReadonlyArray<Uint8Array>) =>
  `${md5(Buffer.concat(parts.map((part) => Buffer.from(md5(part), "hex"))))}-${parts.length}`

const storeLayer = (options: S3Options) =>
  S3UploadStore.layer(options).pipe(Layer.provideMerge(S3BlobStore.layer(options)))

const layer = TestBucket.provide(storeLayer)

const test = (name: string, body: Effect.Effect<void, unknown, UploadStore | BlobStore>) =>
  it.live(name, () => Effect.provide(body, layer))

/** An upload with these parts, sent in this order. */
const begun = Effect.fnUntraced(function* (
  parts: ReadonlyArray<readonly [partNumber: number, bytes: Uint8Array<ArrayBuffer>]>
) {
  const store = yield* UploadStore
  const file = target()
  const uploadId = yield* store.begin(file)
  yield* Effect.forEach(parts, ([partNumber, bytes]) =>
    Effect.gen(function* () {
      const url = yield* store.partUrl(file, { uploadId, partNumber, ...(yield* inAnHour) })
      const { etag, status } = yield* put(url, bytes, { headers: {} })
      assert.strictEqual(status, 200)
      assert.strictEqual(etag, md5(bytes))
    })
  )
  return { store, id: file.id, uploadId, found: yield* store.parts(file.id, uploadId) }
})

const filled = (length: number, byte: number) => new Uint8Array(length).fill(byte)

const named = (parts: Effect.Success<ReturnType<typeof begun>>["found"]) => {
  if (!Array.isReadonlyArrayNonEmpty(parts)) throw new Error("Expected parts")
  return parts
}

describe.skipIf(S3Programs.isMissing)(S3Programs.named("S3UploadStore"), () => {
  describe("a single PUT", () => {
    test(
      "is detected once it has been uploaded",
      Effect.gen(function* () {
        const store = yield* UploadStore
        const file = target(5)
        const url = yield* store.putUrl(file, yield* inAnHour)
        assert.isTrue(store.isDirect)
        assert.isNull(yield* store.look(file.id))
        const answer = yield* put(url, "hello")
        assert.deepStrictEqual([answer.status, answer.etag], [200, md5("hello")])
        assert.deepStrictEqual(yield* store.look(file.id), {
          stored: { size: 5, etag: md5("hello"), sha256: null },
          contentType: "image/png"
        })
        const blob = yield* (yield* BlobStore).get(`media/${file.id}`)
        assert.strictEqual(blob?.etag, md5("hello"))
        assert.strictEqual(
          String(Buffer.from(yield* Stream.mkUint8Array(blob?.body ?? Stream.empty))),
          "hello"
        )
      })
    )

    test(
      "may have any length if none was declared",
      Effect.gen(function* () {
        const store = yield* UploadStore
        const file = target()
        const url = yield* store.putUrl(file, yield* inAnHour)
        assert.strictEqual((yield* put(url, "some bytes")).status, 200)
        assert.strictEqual((yield* store.look(file.id))?.stored.size, 10)
      })
    )

    test(
      "may have any type, which is found with it, and none or that of any bytes is found as none",
      Effect.gen(function* () {
        const store = yield* UploadStore
        for (const [headers, found] of [
          [{ "content-type": "Image/PNG; name=x" }, "Image/PNG; name=x"],
          [{ "content-type": "text/html" }, "text/html"],
          [{ "content-type": "application/octet-stream" }, undefined],
          [{}, undefined]
        ] as const) {
          const file = target(5)
          const url = yield* store.putUrl(file, yield* inAnHour)
          assert.strictEqual(new URL(url).searchParams.get("X-Amz-SignedHeaders"), "content-length;host")
          assert.strictEqual((yield* put(url, Buffer.from("hello"), { headers })).status, 200)
          assert.strictEqual((yield* store.look(file.id))?.contentType, found)
        }
      })
    )

    test(
      "is rejected with 403 when it differs from its declaration, and leaves nothing",
      Effect.gen(function* () {
        const store = yield* UploadStore
        const file = target(5)
        const url = yield* store.putUrl(file, yield* inAnHour)
        const other = yield* store.putUrl(target(5), yield* inAnHour)
        const tampered = url.replace(`/${file.id}`, new URL(other).pathname.slice(-25))
        const later = url.replace(/X-Amz-Expires=\d+/, "X-Amz-Expires=9999")
        const attempts = {
          "fewer bytes": put(url, "hell"),
          "more bytes": put(url, "hello!"),
          "another file": put(tampered, "hello"),
          "another end": put(later, "hello"),
          "another signature": put(url.replace(/Signature=./, "Signature=z"), "hello"),
          "another method": put(url, "hello", { method: "POST" })
        }
        for (const [name, attempt] of Object.entries(attempts))
          assert.strictEqual((yield* attempt).status, 403, name)
        assert.isNull(yield* store.look(file.id))
        assert.strictEqual((yield* put(url, "hello")).status, 200)
      })
    )

    test(
      "is rejected with 403 when its URL has expired",
      Effect.gen(function* () {
        const store = yield* UploadStore
        const file = target(5)
        const now = yield* Clock.currentTimeMillis
        for (const ago of [1_000, 10_000_000]) {
          const url = yield* store.putUrl(file, { expiresAt: now - ago })
          assert.strictEqual(new URL(url).searchParams.get("X-Amz-Expires"), "1")
          assert.strictEqual((yield* put(url, "hello")).status, 403)
        }
        assert.isNull(yield* store.look(file.id))
      })
    )
  })

  describe("an upload in parts", () => {
    const [first, second, last] = [filled(5 * MiB, 1), filled(5 * MiB + 1, 2), filled(3, 3)]

    test(
      "is assembled from parts in any order, the last of each number; a repeat returns the same",
      Effect.gen(function* () {
        const { found, id, store, uploadId } = yield* begun([
          [3, last],
          [2, filled(5 * MiB, 9)],
          [1, first],
          [2, second]
        ])
        assert.deepStrictEqual(
          found,
          [first, second, last].map((part, index) => ({
            partNumber: index + 1,
            etag: md5(part),
            size: part.length
          }))
        )
        assert.isNull(yield* store.look(id))
        const expected = { size: 10 * MiB + 4, etag: etagOf([first, second, last]), sha256: null }
        assert.deepStrictEqual(yield* store.assemble(id, uploadId, named(found)), expected)
        assert.deepStrictEqual(yield* store.assemble(id, uploadId, named(found)), expected)
        assert.deepStrictEqual(yield* store.look(id), { stored: expected, contentType: "image/png" })
        assert.deepStrictEqual(yield* store.parts(id, uploadId), [])
        const blob = yield* (yield* BlobStore).get(`media/${id}`)
        const bytes = Buffer.from(yield* Stream.mkUint8Array(blob?.body ?? Stream.empty))
        assert.isTrue(bytes.equals(Buffer.concat([first, second, last])))
      })
    )

    test(
      "accepts part numbers with gaps",
      Effect.gen(function* () {
        const { found, id, store, uploadId } = yield* begun([
          [7, first],
          [10_000, last]
        ])
        const { etag, size } = yield* store.assemble(id, uploadId, named(found))
        assert.deepStrictEqual({ etag, size }, { etag: etagOf([first, last]), size: 5 * MiB + 3 })
      })
    )

    test(
      "names parts that are missing, have another ETag or are too small, and can be assembled afterwards",
      Effect.gen(function* () {
        const { found, id, store, uploadId } = yield* begun([
          [1, first],
          [2, second],
          [3, last]
        ])
        const errorAnswer = (parts: typeof found) =>
          Effect.map(Effect.flip(store.assemble(id, uploadId, named(parts))), (error) =>
            error instanceof PartsRefused ? [error.reason, ...error.partNumbers] : error
          )
        const absent = { partNumber: 9, etag: md5("x"), size: 1 }
        assert.deepStrictEqual(yield* errorAnswer([...found, absent]), ["missing", 9])
        const wrong = found.map((part) => (part.partNumber === 2 ? { ...part, etag: md5("x") } : part))
        assert.deepStrictEqual(yield* errorAnswer(wrong), ["etag_mismatch", 2])
        assert.deepStrictEqual(yield* errorAnswer(found.slice(1)), ["not_named", 1])
        const small = yield* begun([
          [1, last],
          [2, first]
        ])
        const refused = yield* Effect.flip(store.assemble(small.id, small.uploadId, named(small.found)))
        assert.deepStrictEqual(refused, new PartsRefused({ reason: "too_small", partNumbers: [1] }))
        assert.strictEqual((yield* store.assemble(id, uploadId, named(found))).size, 10 * MiB + 4)
      })
    )

    test(
      "is not complete when another file is in its place",
      Effect.gen(function* () {
        const { found, id, store, uploadId } = yield* begun([[1, last]])
        yield* store.remove(id, uploadId)
        yield* (yield* BlobStore).put(`media/${id}`, Buffer.from("another"))
        const failed = yield* Effect.flip(store.assemble(id, uploadId, named(found)))
        assert.strictEqual(failed._tag, "BlobStoreError")
      })
    )

    test(
      "rejects a part with 403 for another number, another upload or after its time, and with 404 after its end",
      Effect.gen(function* () {
        const { found, id, store, uploadId } = yield* begun([[1, last]])
        const file = { ...target(), id }
        const now = yield* Clock.currentTimeMillis
        const url = yield* store.partUrl(file, { uploadId, partNumber: 2, expiresAt: now + 60_000 })
        const over = yield* store.partUrl(file, { uploadId, partNumber: 2, expiresAt: now - 60_000 })
        const attempts = [
          url.replace("partNumber=2", "partNumber=3"),
          url.replace(/uploadId=.../, "uploadId=abc"),
          over
        ]
        for (const attempt of attempts) assert.strictEqual((yield* put(attempt, "x")).status, 403)
        yield* store.assemble(id, uploadId, named(found))
        assert.strictEqual((yield* put(url, "x")).status, 404)
      })
    )
  })

  test(
    "removes bytes and parts, repeatedly without an error",
    Effect.gen(function* () {
      const { id, store, uploadId } = yield* begun([[1, filled(5 * MiB, 1)]])
      const file = { ...target(), id }
      yield* put(yield* store.putUrl(file, yield* inAnHour), "bytes")
      assert.isNotNull(yield* store.look(id))
      for (const _ of [1, 2]) {
        yield* store.remove(id, uploadId)
        assert.isNull(yield* store.look(id))
        assert.deepStrictEqual(yield* store.parts(id, uploadId), [])
      }
      yield* store.remove(id, null)
    })
  )

  it.live("signs for the public address of S3, and uses its own address", () =>
    Effect.gen(function* () {
      const server = yield* S3Server.shared
      const proxy = yield* TcpProxy.make(server.port)
      const address = `http://127.0.0.1:${proxy.port}`
      yield* Effect.gen(function* () {
        const store = yield* UploadStore
        const file = target(5)
        const url = yield* store.putUrl(file, yield* inAnHour)
        assert.strictEqual(new URL(url).origin, address)
        assert.strictEqual((yield* put(url, "hello")).status, 200)
        yield* proxy.cut("refuse")
        assert.strictEqual((yield* store.look(file.id))?.stored.size, 5)
      }).pipe(Effect.provide(TestBucket.provide(storeLayer, `&publicEndpoint=${address}&prefix=a/b`)))
    }).pipe(Effect.scoped)
  )
})
