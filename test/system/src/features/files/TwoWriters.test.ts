/** Concurrent writers on one presigned URL: readers get the complete bytes of one of them. */
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import * as Calls from "#test/support/src/features/files/upload-flows/Calls.ts"
import { curl } from "#test/support/src/features/files/upload-flows/Curl.ts"
import { overBothStores, running } from "#test/support/src/features/files/upload-flows/UploadServer.ts"

const binary = { file_name: "a.bin", content_type: "application/octet-stream" }
const rounds = 3

/** Larger than what is hashed at once, and of different lengths. */
const bodies = [1, 2, 3, 4].map((fill) => Buffer.alloc(2 * Calls.MiB + fill, fill))

const putAll = (url: string, contentType?: string) =>
  Effect.forEach(bodies, (body) => Calls.put(url, body, contentType), { concurrency: "unbounded" })

/** The writer whose bytes every reader gets. */
const winnerOf = Effect.fnUntraced(function* (fileUrl: string) {
  const replies = yield* Effect.all([curl(fileUrl), curl(fileUrl)], { concurrency: 2 })
  const winners = replies.map(({ bytes }) => bodies.findIndex((body) => body.equals(bytes)))
  assert.strictEqual(new Set(winners).size, 1)
  assert.include(replies[0].headers["etag"], Calls.md5(replies[0].bytes))
  return winners[0] ?? -1
})

overBothStores("writers on one URL at once", (store) =>
  running(store, (it) => {
    it.effect("leave one complete file; on disk, the one that was answered 200", () =>
      Effect.gen(function* () {
        for (let round = 0; round < rounds; round++) {
          const { file_url, upload_url } = yield* Calls.initiate(binary)
          const statuses = (yield* putAll(upload_url, binary.content_type)).map(({ status }) => status)
          const winner = yield* winnerOf(file_url)
          if (store === "disk") {
            const expected = bodies.map((_, index) => (index === winner ? 200 : 409))
            assert.deepStrictEqual(statuses, expected)
          } else {
            assert.deepStrictEqual([...new Set(statuses)], [200])
            assert.isAtLeast(winner, 0)
          }
          assert.deepStrictEqual(yield* Calls.stored(file_url), [`media/${Calls.idOf(file_url)}`])
        }
      })
    )

    it.effect("with the same bytes all succeed", () =>
      Effect.gen(function* () {
        const { file_url, upload_url } = yield* Calls.initiate(binary)
        const put = Calls.put(upload_url, "the same", binary.content_type)
        const replies = yield* Effect.all([put, put, put, put], { concurrency: "unbounded" })
        assert.deepStrictEqual(
          replies.map((reply) => [reply.status, Calls.etagOf(reply)]),
          replies.map(() => [200, Calls.md5("the same")])
        )
        assert.strictEqual((yield* curl(file_url)).text, "the same")
      })
    )

    it.effect("of a part leave one of the parts, and a file with it", () =>
      Effect.gen(function* () {
        const upload = yield* Calls.initiateMultipart(binary)
        const url = yield* Calls.partUrl(upload, 1)
        const replies = yield* putAll(url)
        assert.deepStrictEqual(
          replies.map((reply) => [reply.status, Calls.etagOf(reply)]),
          bodies.map((body) => [200, Calls.md5(body)])
        )
        const listed = Calls.jsonOf(yield* Calls.listParts(upload))
        const parts: unknown = Reflect.get(Object(listed), "parts")
        assert.lengthOf(Object(parts), 1)
        const etag = String(Reflect.get(Object(Object(parts)[0]), "etag"))
        const completed = yield* Calls.complete(upload, [{ partNumber: 1, etag }])
        assert.strictEqual(completed.status, 200, completed.text)
        const winner = bodies.findIndex((body) => Calls.md5(body) === etag)
        assert.isTrue((yield* curl(upload.fileUrl)).bytes.equals(bodies[winner] ?? Buffer.of()))
        if (store === "disk") assert.lengthOf(yield* Calls.stored(upload.fileUrl), 2)
      })
    )
  })
)
