/** The contract's multipart flow ("Uploads") with the local store, and its errors. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import * as TestServer from "#test/support/TestServer.ts"
import { assertEnvelope, call, issuesOf } from "#test/support/src/edges/http/Calls.ts"
import * as FileCalls from "#test/support/src/edges/http/FileCalls.ts"

const minPart = 5 * 1024 * 1024
const big = (fill: number) => Buffer.alloc(minPart, fill)

const otherAccount = Effect.map(TestServer.TestServer, ({ otherKey }) => ({ authorization: otherKey }))

layer(TestServer.layer(), { excludeTestServices: true })("a file in parts", (it) => {
  it.effect("is assembled from its parts, uploaded in any order, and 404 before", () =>
    Effect.gen(function* () {
      const upload = yield* FileCalls.initiateMultipart({ ...FileCalls.cat, size: 2 * minPart + 3 })
      const last = yield* FileCalls.putPart(upload, 3, "end")
      const first = yield* FileCalls.putPart(upload, 1, big(1))
      const second = yield* FileCalls.putPart(upload, 2, big(2))
      assert.strictEqual(first.etag, FileCalls.md5(big(1)))
      assertEnvelope(yield* FileCalls.get(upload.fileUrl), 404)
      const reply = yield* FileCalls.complete(upload, [last, { ...second, etag: `"${second.etag}"` }, first])
      assert.deepStrictEqual([reply.status, reply.json], [200, { fileUrl: upload.fileUrl }])
      const file = yield* FileCalls.get(upload.fileUrl)
      assert.isTrue(file.bytes.equals(Buffer.concat([big(1), big(2), Buffer.from("end")])))
      assert.match(String(file.headers["etag"]), /^"[0-9a-f]{32}-3"$/)
      const across = yield* FileCalls.get(upload.fileUrl, { range: `bytes=${minPart - 1}-${minPart}` })
      assert.deepStrictEqual([across.status, [...across.bytes]], [206, [1, 2]])
    })
  )

  it.effect("is continued after listing the parts that have arrived", () =>
    Effect.gen(function* () {
      const upload = yield* FileCalls.initiateMultipart({ ...FileCalls.cat, size: 9 })
      const about = { fileUrl: upload.fileUrl, fileName: "cat.png", contentType: "image/png", size: 9 }
      assert.deepStrictEqual((yield* FileCalls.listParts(upload)).json, { ...about, parts: [] })
      const second = yield* FileCalls.putPart(upload, 2, "bb")
      yield* FileCalls.putPart(upload, 1, "a")
      const first = yield* FileCalls.putPart(upload, 1, "again")
      const { json } = yield* FileCalls.listParts(upload)
      const parts = [
        { ...first, size: 5 },
        { ...second, size: 2 }
      ]
      assert.deepStrictEqual(json, { ...about, parts })
    })
  )

  it.effect("is rejected if parts are too small, missing, misnamed or left out", () =>
    Effect.gen(function* () {
      const upload = yield* FileCalls.initiateMultipart()
      const small = yield* FileCalls.putPart(upload, 1, "small")
      const second = yield* FileCalls.putPart(upload, 2, big(2))
      const cases = [
        [[small, second], "too_small", [1], ["parts.0"]],
        [[second, small, { partNumber: 3, etag: "x" }], "missing", [3], ["parts.2"]],
        [[second], "missing", [1], ["parts"]],
        [[small], "not_named", [2], ["parts"]],
        [[{ ...small, etag: "other" }, second], "etag_mismatch", [1], ["parts.0.etag"]]
      ] as const
      for (const [parts, reason, partNumbers, paths] of cases) {
        const reply = yield* FileCalls.complete(upload, parts)
        assertEnvelope(reply, 400)
        assert.deepInclude(reply.json, { details: { code: "PARTS_REFUSED", reason, partNumbers } })
        assert.deepStrictEqual(
          issuesOf(reply),
          paths.map((path) => [path, reason] as const)
        )
      }
      assertEnvelope(yield* FileCalls.get(upload.fileUrl), 404)
      const first = yield* FileCalls.putPart(upload, 1, big(1))
      assert.strictEqual((yield* FileCalls.complete(upload, [first, second])).status, 200)
    })
  )

  it.effect("is rejected with other sizes than declared", () =>
    Effect.gen(function* () {
      const upload = yield* FileCalls.initiateMultipart({ ...FileCalls.cat, size: 4 })
      const part = yield* FileCalls.putPart(upload, 1, "abc")
      const reply = yield* FileCalls.complete(upload, [part])
      assertEnvelope(reply, 400)
      assert.deepInclude(reply.json, {
        details: { code: "PARTS_REFUSED", reason: "wrong_size", partNumbers: [1] }
      })
    })
  )

  it.effect("is completed once: later calls are 409, and its bytes stay", () =>
    Effect.gen(function* () {
      const upload = yield* FileCalls.initiateMultipart()
      const url = yield* FileCalls.partUrl(upload, 1)
      const part = yield* FileCalls.putPart(upload, 1, "once")
      yield* FileCalls.complete(upload, [part])
      const { fileUrl } = upload
      const code = "UPLOAD_COMPLETED"
      for (const [reply, details] of [
        [yield* FileCalls.complete(upload, [part]), { code, fileUrl }],
        [yield* FileCalls.getPartUrl(upload, 2), { code, fileUrl }],
        [yield* FileCalls.listParts(upload), { code, fileUrl }],
        [yield* FileCalls.put(url, "more", {}), { code }]
      ] as const) {
        assertEnvelope(reply, 409)
        assert.deepInclude(reply.json, { details })
      }
      assert.strictEqual((yield* FileCalls.get(upload.fileUrl)).text, "once")
    })
  )

  it.effect("that is unknown is 404, and another account's is 403", () =>
    Effect.gen(function* () {
      const upload = yield* FileCalls.initiateMultipart()
      const single = yield* FileCalls.initiate()
      const part = { partNumber: 1, etag: "x" }
      const unknown = [
        { ...upload, uploadId: "none" },
        { ...upload, uploadKey: "x".repeat(24) },
        { ...upload, uploadKey: "../../etc" },
        { ...upload, uploadKey: FileCalls.idOf(single.file_url) }
      ]
      for (const other of unknown) {
        for (const reply of [
          yield* FileCalls.getPartUrl(other, 1),
          yield* FileCalls.listParts(other),
          yield* FileCalls.complete(other, [part])
        ]) {
          assertEnvelope(reply, 404)
          assert.deepInclude(reply.json, { error: "Upload not found." })
        }
      }
      const headers = yield* otherAccount
      assertEnvelope(yield* FileCalls.getPartUrl(upload, 1, headers), 403)
      assertEnvelope(yield* FileCalls.listParts(upload, headers), 403)
      assertEnvelope(yield* FileCalls.complete(upload, [part], headers), 403)
    })
  )

  it.effect.each([
    ["uploadId=a&partNumber=1", ["uploadKey", "required"]],
    ["uploadKey=a&uploadId=a", ["partNumber", "required"]],
    ["uploadKey=a&uploadId=a&partNumber=0", ["partNumber", "range"]],
    ["uploadKey=a&uploadId=a&partNumber=10001", ["partNumber", "range"]],
    ["uploadKey=a&uploadId=a&partNumber=1.5", ["partNumber", "range"]],
    ["uploadKey=a&uploadId=a&partNumber=1&partNumber=2", ["partNumber", "repeated"]]
  ] as const)("has no part at ?%s", ([query, issue]) =>
    Effect.gen(function* () {
      const reply = yield* call({ path: `/storage/upload/multipart-url?${query}` })
      assertEnvelope(reply, 400)
      assert.deepStrictEqual(issuesOf(reply), [issue])
    })
  )

  it.effect("reports all missing query parameters at once", () =>
    Effect.gen(function* () {
      const reply = yield* call({ path: "/storage/upload/multipart-url" })
      assertEnvelope(reply, 400)
      const required = ["uploadKey", "uploadId", "partNumber"].map((name) => [name, "required"] as const)
      assert.sameDeepMembers([...issuesOf(reply)], required)
    })
  )

  it.effect("is not completed with a part that is listed twice", () =>
    Effect.gen(function* () {
      const upload = yield* FileCalls.initiateMultipart()
      const part = yield* FileCalls.putPart(upload, 1, "x")
      const reply = yield* FileCalls.complete(upload, [part, part])
      assertEnvelope(reply, 400)
      assert.deepStrictEqual(issuesOf(reply), [["parts.1.partNumber", "uniqueItems"]])
    })
  )
})
