/** A multipart file, from the first URL to the last byte, over HTTP and on disk. */
import * as crypto from "node:crypto"
import * as fs from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import { Array, Clock, Effect, type Scope, Stream } from "effect"
import type { FileId } from "#domain/Ids.ts"
import { FileActors } from "#src/features/media/storage/FileActors.ts"
import * as PartsBlob from "#src/features/media/storage/local/PartsBlob.ts"
import type { UploadedPart } from "#src/platform/blobs/Part.ts"
import { type UploadTarget, UploadStore } from "#src/features/media/storage/UploadStore.ts"
import { BlobStore } from "#streams/BlobStore.ts"
import * as LocalNode from "#test/support/src/features/media/storage/local/LocalNode.ts"
import * as Puts from "#test/support/src/features/media/storage/local/Puts.ts"

const MiB = 1024 * 1024

interface Uploading {
  readonly port: number
  readonly uploadId: string
  readonly target: UploadTarget
  readonly directory: string
  /** PUTs a part. */
  readonly bring: (
    partNumber: number,
    bytes: Uint8Array
  ) => Effect.Effect<Puts.Answered, unknown, LocalNode.Node>
}

const test = (
  name: string,
  body: (uploading: Uploading) => Effect.Effect<void, unknown, LocalNode.Node | Scope.Scope>,
  size?: number
) =>
  it.live(name, () =>
    Effect.gen(function* () {
      const directory = yield* LocalNode.Directory
      const port = yield* LocalNode.serve
      const store = yield* UploadStore
      const uploadId = yield* store.begin(yield* Puts.announce())
      const target = yield* Puts.announce({ uploadId, ...(size !== undefined && { size }) })
      const bring = (partNumber: number, bytes: Uint8Array) =>
        Effect.flatMap(Puts.partUrlOf(target, uploadId, partNumber), (url) =>
          // Parts have no type.
          Puts.put(port, url, bytes, { "content-type": undefined })
        )
      yield* body({ directory, port, uploadId, target, bring })
      assert.deepStrictEqual(Puts.underWay(directory), [])
    }).pipe(Effect.scoped, Effect.provide(LocalNode.layer()))
  )

const partOf = (partNumber: number, bytes: Uint8Array): UploadedPart => ({
  partNumber,
  etag: Puts.md5(bytes),
  size: bytes.length
})

const partsOf = (bodies: Array.NonEmptyReadonlyArray<Buffer>) =>
  Array.map(bodies, (bytes, index) => partOf(index + 1, bytes))

const folderOf = (directory: string, id: FileId) => `${directory}/blobs/media/${id}.parts`

const readAll = Effect.fnUntraced(function* (id: FileId, { etag }: { readonly etag: string }) {
  const blob = yield* PartsBlob.open(yield* BlobStore, { id, etag })
  return blob === null ? null : Buffer.from(yield* Stream.mkUint8Array(blob.body))
})

describe("LocalUploadStore", () => {
  test("assembles parts in any order, the last of each number", (uploading) =>
    Effect.gen(function* () {
      const { bring, directory, target, uploadId } = uploading
      const bodies = Array.make(Puts.pattern(2 * MiB, 1), Puts.pattern(MiB, 2), Puts.pattern(10, 3))
      yield* bring(3, Puts.pattern(11, 9))
      for (const number of [3, 1, 2]) {
        const bytes = bodies[number - 1] ?? Buffer.alloc(0)
        assert.deepStrictEqual(yield* bring(number, bytes), { status: 200, etag: `"${Puts.md5(bytes)}"` })
      }
      const store = yield* UploadStore
      const parts = partsOf(bodies)
      assert.deepStrictEqual(yield* store.parts(target.id, uploadId), parts)
      const bytes = Buffer.concat(bodies)
      const md5s = Buffer.from(parts.map(({ etag }) => etag).join(""), "hex")
      const expected = {
        size: bytes.length,
        etag: `${crypto.createHash("md5").update(md5s).digest("hex")}-3`,
        sha256: Puts.sha256(bytes),
        isInParts: true
      }
      assert.isNull(yield* readAll(target.id, expected))
      assert.deepStrictEqual(yield* store.assemble(target.id, uploadId, parts), expected)
      assert.isTrue(bytes.equals((yield* readAll(target.id, expected)) ?? Buffer.alloc(0)))
      // Again, as after a crash before the event.
      assert.deepStrictEqual(yield* store.assemble(target.id, uploadId, parts), expected)
      const names = () => fs.readdirSync(folderOf(directory, target.id))
      assert.strictEqual(names().length, 5, "three, the manifest, and one that came twice")
      yield* store.tidy(target.id, expected)
      assert.strictEqual(names().length, 4, "three and the manifest")
      assert.isTrue(bytes.equals((yield* readAll(target.id, expected)) ?? Buffer.alloc(0)))
      yield* store.remove(target.id, uploadId)
      assert.isFalse(fs.existsSync(folderOf(directory, target.id)))
      assert.isNull(
        yield* Effect.flatMap(BlobStore, (blobs) =>
          blobs.size(PartsBlob.manifestKey({ id: target.id, etag: expected.etag }))
        )
      )
      yield* store.remove(target.id, uploadId)
    }))

  test("uses the last part of each number, and the same one when its bytes are repeated", (uploading) =>
    Effect.gen(function* () {
      const { bring, directory, target } = uploading
      const names = () => fs.readdirSync(folderOf(directory, target.id))
      yield* bring(1, Puts.pattern(10, 1))
      const first = names()
      yield* bring(1, Puts.pattern(10, 1))
      assert.deepStrictEqual(names(), first)
      yield* bring(10, Puts.pattern(10, 1))
      yield* bring(1, Puts.pattern(10, 2))
      assert.strictEqual(names().length, 3)
      // Not older, although this clock is behind the clock of the node that received the last one.
      const at = 99_999_999_999_999
      const ahead = `00001-${at.toString(36).padStart(9, "0")}-10-${Puts.md5(Puts.pattern(10, 3))}`
      fs.writeFileSync(`${folderOf(directory, target.id)}/${ahead}`, Puts.pattern(10, 3))
      yield* bring(1, Puts.pattern(10, 4))
      const store = yield* UploadStore
      assert.deepStrictEqual(yield* store.parts(target.id, ""), [
        partOf(1, Puts.pattern(10, 4)),
        partOf(10, Puts.pattern(10, 1))
      ])
    }))

  test("a repeated part during an assembly harms neither", (uploading) =>
    Effect.gen(function* () {
      const { bring, target, uploadId } = uploading
      const store = yield* UploadStore
      const [first, second] = [Puts.pattern(10, 1), Puts.pattern(10, 2)]
      yield* bring(1, first)
      const parts = Array.make(partOf(1, first))
      const stored = yield* store.assemble(target.id, uploadId, parts)
      yield* bring(1, second)
      const other = yield* store.assemble(target.id, uploadId, Array.make(partOf(1, second)))
      assert.isTrue(second.equals((yield* readAll(target.id, other)) ?? Buffer.alloc(0)))
      yield* store.tidy(target.id, stored)
      assert.isTrue(first.equals((yield* readAll(target.id, stored)) ?? Buffer.alloc(0)))
    }))

  test("preserves every concurrent part, one of each number", (uploading) =>
    Effect.gen(function* () {
      const { bring, directory, target } = uploading
      const puts = Array.range(0, 39).map((index) => bring((index % 10) + 1, Puts.pattern(100, index)))
      const answers = yield* Effect.all(puts, { concurrency: "unbounded" })
      assert.isTrue(answers.every(({ status }) => status === 200))
      const parts = yield* (yield* UploadStore).parts(target.id, "")
      assert.deepStrictEqual(
        parts.map(({ partNumber }) => partNumber),
        Array.range(0, 9).map((index) => index + 1)
      )
      for (const { etag, partNumber } of parts) {
        const own = Array.range(0, 3).map((round) => Puts.md5(Puts.pattern(100, round * 10 + partNumber - 1)))
        assert.include(own, etag)
      }
      assert.isAtLeast(fs.readdirSync(folderOf(directory, target.id)).length, 10)
    }))

  test("rejects a part that no longer exists, or has changed", ({ bring, target, uploadId }) =>
    Effect.gen(function* () {
      const store = yield* UploadStore
      yield* bring(1, Puts.pattern(10, 1))
      yield* bring(2, Puts.pattern(10, 2))
      const wrong = partsOf([Puts.pattern(10, 1), Puts.pattern(10, 3)])
      const missing = partsOf([Puts.pattern(10, 1), Puts.pattern(10, 2), Puts.pattern(10, 3)])
      for (const [parts, reason, partNumbers] of [
        [wrong, "etag_mismatch", [2]],
        [missing, "missing", [3]]
      ] as const) {
        const refused = yield* Effect.flip(store.assemble(target.id, uploadId, parts))
        assert.deepInclude(refused, { _tag: "PartsRefused", reason, partNumbers })
      }
    }))

  test("rejects parts of a complete file", ({ bring, directory, target, uploadId }) =>
    Effect.gen(function* () {
      const store = yield* UploadStore
      const bytes = Puts.pattern(10)
      yield* bring(1, bytes)
      const stored = yield* store.assemble(target.id, uploadId, partsOf([bytes]))
      const at = yield* Clock.currentTimeMillis
      const { execute } = yield* FileActors
      yield* execute(target.id, { _tag: "CompleteUpload", at, stored, expiresAt: at + 1_000_000 })
      assert.strictEqual((yield* bring(1, Puts.pattern(10, 1))).error, "AlreadyUploaded")
      assert.strictEqual((yield* bring(2, bytes)).error, "AlreadyUploaded")
      assert.strictEqual(fs.readdirSync(folderOf(directory, target.id)).length, 2)
    }))

  test("accepts parts for their own upload only", ({ bring, port, target, uploadId }) =>
    Effect.gen(function* () {
      const bytes = Puts.pattern(10)
      const url = yield* Puts.partUrlOf(target, uploadId, 1)
      for (const changed of [
        url.replace(uploadId, "another"),
        url.replace("partNumber=1", "partNumber=2"),
        url.replace(/uploadId=[^&]+&partNumber=1&/, "")
      ])
        assert.strictEqual((yield* Puts.put(port, changed, bytes)).reason, "signature_mismatch")
      // Signed by the server for an upload of another file.
      const other = yield* Puts.partUrlOf(target, "another", 1)
      assert.strictEqual((yield* Puts.put(port, other, bytes)).error, "FileNotFound")
      const whole = yield* Puts.urlOf(target)
      assert.strictEqual((yield* Puts.put(port, whole, bytes)).error, "FileNotFound")
      assert.strictEqual((yield* bring(1, bytes)).status, 200)
    }))

  test(
    "rejects a part larger than the announced whole",
    ({ bring }) =>
      Effect.gen(function* () {
        assert.strictEqual((yield* bring(1, Puts.pattern(101))).error, "FileTooLarge")
        assert.strictEqual((yield* bring(1, Puts.pattern(100))).status, 200)
      }),
    100
  )
})
