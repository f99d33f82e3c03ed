/**
 * The contract's multipart flow ("Uploads") on a real server.
 * @cost Parts of uploads have at least 5 MiB by S3's rules, at two stores.
 */
import * as crypto from "node:crypto"
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import * as Inferlog from "#test/support/src/cli/Inferlog.ts"
import * as FalClients from "#test/support/src/edges/fal/FalClients.ts"
import * as ServerProcess from "#test/support/ServerProcess.ts"
import * as S3Programs from "#test/support/servers/S3Programs.ts"
import * as Calls from "#test/support/src/features/files/upload-flows/Calls.ts"
import { curl, type Reply } from "#test/support/src/features/files/upload-flows/Curl.ts"
import * as SdkPut from "#test/support/src/features/files/upload-flows/SdkPut.ts"
import {
  overBothStores,
  running,
  UploadServer
} from "#test/support/src/features/files/upload-flows/UploadServer.ts"

const film = { file_name: "film.mp4", content_type: "video/mp4" }

/** The smallest size of any part but the last. */
const big = () => crypto.randomBytes(5 * Calls.MiB)

const assertRefused = (reply: Reply, reason: string, partNumbers: ReadonlyArray<number>) => {
  assert.strictEqual(reply.status, 400, reply.text)
  assert.deepInclude(Calls.jsonOf(reply), { details: { code: "PARTS_REFUSED", reason, partNumbers } })
}

/** One stored part of a file that is not complete. */
const begun = Effect.fnUntraced(function* (announced: Calls.Announced = film) {
  const upload = yield* Calls.initiateMultipart(announced)
  return { upload, part: yield* Calls.putPart(upload, 1, "all of it") }
})

overBothStores("a file in parts", (store) =>
  running(store, (it) => {
    it.effect("is assembled from parallel parts, by curl and the SDK, in any order", () =>
      Effect.gen(function* () {
        const parts = [big(), big(), big(), Buffer.from("the end")]
        const bytes = Buffer.concat(parts)
        const upload = yield* Calls.initiateMultipart({ ...film, size: bytes.length })
        const bring = Effect.fnUntraced(function* (index: number) {
          const url = yield* Calls.partUrl(upload, index + 1)
          const put = index % 2 === 0 ? Calls.put : SdkPut.put
          const reply = yield* put(url, parts[index] ?? Buffer.of())
          assert.strictEqual(reply.status, 200)
          return { partNumber: index + 1, etag: Calls.etagOf(reply) }
        })
        const named = yield* Effect.forEach([3, 1, 0, 2], bring, { concurrency: "unbounded" })
        assert.strictEqual((yield* curl(upload.fileUrl)).status, 404)
        const completed = yield* Calls.complete(upload, named)
        assert.deepStrictEqual(Calls.jsonOf(completed), { fileUrl: upload.fileUrl })
        const file = yield* curl(upload.fileUrl)
        assert.isTrue(file.bytes.equals(bytes))
        assert.strictEqual(file.headers["content-type"], "video/mp4")
        const across = yield* curl("--range", `${5 * Calls.MiB - 2}-${5 * Calls.MiB + 1}`, upload.fileUrl)
        assert.strictEqual(across.status, 206)
        assert.isTrue(across.bytes.equals(bytes.subarray(5 * Calls.MiB - 2, 5 * Calls.MiB + 2)))
      })
    )

    // It sends 90 MiB, so it runs with one store only: with S3, which redirects the client, if this machine has it.
    const isHere = store === "S3" || S3Programs.isMissing
    it.effect.runIf(isHere)("is uploaded by fal's client, which sends parts above 90 MiB", () =>
      Effect.gen(function* () {
        const { url } = yield* UploadServer
        const fal = FalClients.connect(url, ServerProcess.apiKey)
        const size = 90 * Calls.MiB + 2
        const bytes = new Uint8Array(size)
        bytes.set([7, 8], size - 2)
        const file = new File([bytes], "film.mp4", { type: "video/mp4" })
        const fileUrl = yield* Effect.promise(() => fal.storage.upload(file))
        const end = yield* curl("--range", `${size - 2}-`, fileUrl)
        assert.strictEqual(end.headers["content-range"], `bytes ${size - 2}-${size - 1}/${size}`)
        assert.strictEqual(end.headers["content-type"], "video/mp4")
        assert.deepStrictEqual([...end.bytes], [7, 8])
      })
    )

    it.effect("is rejected with the numbers of wrong parts, and accepted with right ones", () =>
      Effect.gen(function* () {
        const upload = yield* Calls.initiateMultipart(film)
        const small = yield* Calls.putPart(upload, 1, "too small")
        const second = yield* Calls.putPart(upload, 2, big())
        const third = yield* Calls.putPart(upload, 3, "the end")
        const refused = Effect.fnUntraced(function* (
          parts: ReadonlyArray<Calls.Part>,
          reason: string,
          numbers: ReadonlyArray<number>
        ) {
          assertRefused(yield* Calls.complete(upload, parts), reason, numbers)
        })
        yield* refused([small, second, third, { partNumber: 4, etag: small.etag }], "missing", [4])
        yield* refused([third, small], "missing", [2])
        yield* refused([small, second], "not_named", [3])
        yield* refused([small, { ...second, etag: third.etag }, third], "etag_mismatch", [2])
        yield* refused([third, small, second], "too_small", [1])
        assert.strictEqual((yield* curl(upload.fileUrl)).status, 404)
        const first = big()
        const again = yield* Calls.putPart(upload, 1, first)
        yield* refused([small, second, third], "etag_mismatch", [1])
        assert.strictEqual((yield* Calls.complete(upload, [again, second, third])).status, 200)
        const start = yield* curl("--range", `0-${first.length - 1}`, upload.fileUrl)
        assert.isTrue(start.bytes.equals(first))
      })
    )

    it.effect("is rejected when its length differs from the declaration, and accepted when it matches", () =>
      Effect.gen(function* () {
        const { part, upload } = yield* begun({ ...film, size: 16 })
        assertRefused(yield* Calls.complete(upload, [part]), "wrong_size", [1])
        const right = yield* Calls.putPart(upload, 1, "sixteen letters.")
        assert.strictEqual((yield* Calls.complete(upload, [right])).status, 200)
        assert.strictEqual((yield* curl(upload.fileUrl)).text, "sixteen letters.")
      })
    )

    it.effect("lists the parts that have arrived; a repeated part counts once, with its last body", () =>
      Effect.gen(function* () {
        const { place } = yield* UploadServer
        const { upload } = yield* begun()
        const last = yield* Calls.putPart(upload, 1, "the last")
        const other = yield* Calls.putPart(upload, 7, "another")
        const parts = [
          { ...last, size: 8 },
          { ...other, size: 7 }
        ]
        const about = { fileUrl: upload.fileUrl, fileName: "film.mp4", contentType: "video/mp4" }
        assert.deepInclude(Calls.jsonOf(yield* Calls.listParts(upload)), { ...about, parts })
        assert.deepStrictEqual(yield* place.parts(`media/${upload.uploadKey}`, upload.uploadId), parts)
      })
    )

    it.effect("is completed once", () =>
      Effect.gen(function* () {
        const { part, upload } = yield* begun()
        const replies = yield* Effect.all(
          [1, 2, 3].map(() => Calls.complete(upload, [part])),
          {
            concurrency: "unbounded"
          }
        )
        assert.deepStrictEqual(replies.map(({ status }) => status).toSorted(), [200, 409, 409])
        assert.strictEqual((yield* Calls.getPartUrl(upload, 2)).status, 409)
        assert.strictEqual((yield* Calls.listParts(upload)).status, 409)
        assert.strictEqual((yield* curl(upload.fileUrl)).text, "all of it")
      })
    )

    it.effect("that was assembled by a server that died before recording it is completed by another", () =>
      Effect.gen(function* () {
        const { place } = yield* UploadServer
        const { part, upload } = yield* begun()
        yield* place.assemble(`media/${upload.uploadKey}`, upload.uploadId, [part])
        assert.strictEqual((yield* curl(upload.fileUrl)).status, 404)
        const completed = yield* Calls.complete(upload, [part])
        assert.strictEqual(completed.status, 200, completed.text)
        assert.strictEqual((yield* curl(upload.fileUrl)).text, "all of it")
      })
    )

    it.effect("is unknown under other ids, and not disclosed to other accounts", () =>
      Effect.gen(function* () {
        const { part, upload } = yield* begun()
        const other = yield* begun()
        const { place } = yield* UploadServer
        const { key } = yield* Inferlog.json(
          Inferlog.Opened,
          ["accounts", "create", "--name", "Other", "--balance", "1"],
          { DATA_DIR: place.dataDirectory, ...place.env }
        )
        const statuses = (named: Omit<Calls.Upload, "fileUrl">, key?: string) =>
          Effect.map(
            Effect.all([
              Calls.getPartUrl(named, 1, key),
              Calls.listParts(named, key),
              Calls.complete(named, [part], key)
            ]),
            (replies) => replies.map(({ status }) => status)
          )
        for (const named of [
          { ...upload, uploadId: "unknown" },
          { ...upload, uploadId: other.upload.uploadId },
          { ...upload, uploadKey: "A".repeat(24) },
          { ...upload, uploadKey: "../../x" }
        ]) {
          assert.deepStrictEqual(yield* statuses(named), [404, 404, 404])
        }
        assert.deepStrictEqual(yield* statuses(upload, key), [403, 403, 403])
        const path = `/files/${upload.uploadKey}`
        assert.deepStrictEqual((yield* Calls.remove(path, key)).status, 403)
        assert.strictEqual((yield* Calls.complete(upload, [part])).status, 200)
      })
    )

    it.effect("that is deleted before it is complete leaves nothing in the store", () =>
      Effect.gen(function* () {
        const { place } = yield* UploadServer
        const { part, upload } = yield* begun()
        const key = `media/${upload.uploadKey}`
        if (store === "S3") assert.include(yield* place.awaited, key)
        else assert.lengthOf(yield* Calls.stored(upload.fileUrl), 1)
        assert.strictEqual((yield* Calls.remove(`/files/${upload.uploadKey}`)).status, 204)
        assert.deepStrictEqual(yield* Calls.stored(upload.fileUrl), [])
        assert.notInclude(yield* place.awaited, key)
        assert.strictEqual((yield* Calls.complete(upload, [part])).status, 410)
        assert.strictEqual((yield* curl(upload.fileUrl)).status, 410)
      })
    )
  })
)
