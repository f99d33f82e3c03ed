/** PUTs to presigned URLs, and the answers to refused ones. */
import * as child from "node:child_process"
import { Readable } from "node:stream"
import * as util from "node:util"
import { assert, layer } from "@effect/vitest"
import { Effect, FileSystem } from "effect"
import { request } from "undici"
import { FileId } from "#domain/Ids.ts"
import { UploadStore } from "#src/features/media/storage/UploadStore.ts"
import { raw, type Reply } from "#test/support/HttpProbe.ts"
import * as TestServer from "#test/support/TestServer.ts"
import { assertEnvelope, issuesOf } from "#test/support/src/edges/http/Calls.ts"
import * as FileCalls from "#test/support/src/edges/http/FileCalls.ts"

const png = { "content-type": "image/png" }

const assertRefused = (reply: Reply, status: number, code: string): void => {
  assertEnvelope(reply, status)
  assert.deepInclude(reply.json, { details: { code } })
}

/** A URL that expired an hour ago. */
const expiredUrl = Effect.gen(function* () {
  const { file_url } = yield* FileCalls.initiate()
  const id = FileId.make(FileCalls.idOf(file_url))
  const target = { id, fileName: "cat.png", contentType: "image/png", size: null }
  return yield* (yield* UploadStore).putUrl(target, { expiresAt: Date.now() - 3_600_000 })
})

const withQuery = (url: string, change: (query: URLSearchParams) => void): string => {
  const changed = new URL(url)
  change(changed.searchParams)
  return changed.href
}

layer(TestServer.layer(), { excludeTestServices: true })("a presigned URL", (it) => {
  it.effect("needs no key, and ignores any key", () =>
    Effect.gen(function* () {
      const { upload_url } = yield* FileCalls.initiate()
      const reply = yield* FileCalls.put(upload_url, "x", { ...png, authorization: "Key nobody:nothing" })
      assert.strictEqual(reply.status, 200)
    })
  )

  it.effect("is valid for one file, only with its own query and part", () =>
    Effect.gen(function* () {
      const { file_url, upload_url } = yield* FileCalls.initiate()
      const other = yield* FileCalls.initiate()
      const upload = yield* FileCalls.initiateMultipart()
      const part = yield* FileCalls.partUrl(upload, 1)
      const moved = new URL(upload_url).search
      const cases = [
        [file_url, "URL_NOT_SIGNED"],
        [withQuery(upload_url, (query) => query.delete("signature")), "URL_NOT_SIGNED"],
        [withQuery(upload_url, (query) => query.set("signature", "x")), "SIGNATURE_MISMATCH"],
        [
          withQuery(upload_url, (query) => query.set("expires", String(Number(query.get("expires")) + 1))),
          "SIGNATURE_MISMATCH"
        ],
        [other.file_url + moved, "SIGNATURE_MISMATCH"],
        [withQuery(part, (query) => query.set("partNumber", "2")), "SIGNATURE_MISMATCH"]
      ] as const
      for (const [url, code] of cases) assertRefused(yield* FileCalls.put(url, "x"), 403, code)
      assertRefused(yield* FileCalls.put(yield* expiredUrl, "x"), 403, "URL_EXPIRED")
      assert.strictEqual((yield* FileCalls.put(upload_url, "x")).status, 200)
    })
  )

  it.effect("refuses another type than the declared one, and names both", () =>
    Effect.gen(function* () {
      const { upload_url } = yield* FileCalls.initiate()
      const reply = yield* FileCalls.put(upload_url, "x", { "content-type": "image/jpeg; a=b" })
      assertEnvelope(reply, 403)
      assert.deepInclude(reply.json, {
        error:
          "The Content-Type is image/jpeg, but image/png was declared for the file. Send the declared one, or none.",
        details: { code: "CONTENT_TYPE_MISMATCH" }
      })
      assert.strictEqual((yield* FileCalls.put(upload_url, "x", { "content-type": "Image/PNG" })).status, 200)
    })
  )

  it.effect.each([{}, { "content-type": "" }, { "content-type": "image/png;a=b" }])(
    "takes bytes of a PNG with the headers %j",
    (headers) =>
      Effect.gen(function* () {
        const { upload_url } = yield* FileCalls.initiate()
        assert.strictEqual((yield* FileCalls.put(upload_url, "x", headers)).status, 200)
      })
  )

  it.effect("requires the declared size, announced or in chunks, and stores nothing otherwise", () =>
    Effect.gen(function* () {
      const { file_url, upload_url } = yield* FileCalls.initiate({ ...FileCalls.cat, size: 4 })
      for (const headers of [png, { ...png, "transfer-encoding": "chunked" }]) {
        for (const body of ["abc", ""]) {
          assertRefused(yield* FileCalls.put(upload_url, body, headers), 400, "SIZE_MISMATCH")
        }
        const more = yield* FileCalls.put(upload_url, "abcde", headers)
        assertEnvelope(more, 413)
        assert.deepInclude(more.json, { details: { code: "FILE_TOO_LARGE", limit: 4 } })
      }
      assertEnvelope(yield* FileCalls.get(file_url), 404)
      assert.strictEqual((yield* FileCalls.put(upload_url, "abcd")).status, 200)
    })
  )

  it.effect("requires bytes that match their Content-MD5", () =>
    Effect.gen(function* () {
      const { upload_url } = yield* FileCalls.initiate()
      const headers = { ...png, "content-md5": Buffer.from(FileCalls.md5("a"), "hex").toString("base64") }
      assertRefused(yield* FileCalls.put(upload_url, "b", headers), 400, "DIGEST_MISMATCH")
      assert.strictEqual((yield* FileCalls.put(upload_url, "a", headers)).status, 200)
    })
  )

  it.effect("rejects a compressed body", () =>
    Effect.gen(function* () {
      const { upload_url } = yield* FileCalls.initiate()
      assertEnvelope(yield* FileCalls.put(upload_url, "x", { ...png, "content-encoding": "gzip" }), 415)
      const plain = yield* FileCalls.put(upload_url, "x", { ...png, "content-encoding": "Identity" })
      assert.strictEqual(plain.status, 200)
    })
  )

  it.effect("stores no file without a body, and an empty file for an empty body", () =>
    Effect.gen(function* () {
      const { file_url, upload_url } = yield* FileCalls.initiate()
      const { port } = yield* TestServer.TestServer
      const { pathname, search } = new URL(upload_url)
      const head = `PUT ${pathname}${search} HTTP/1.1\r\nHost: x\r\nContent-Type: image/png\r\nConnection: close\r\n`
      const answer = yield* raw(port, `${head}\r\n`)
      assert.match(answer, /^HTTP\/1\.1 411 /)
      assert.include(answer, '"details":{"code":"LENGTH_REQUIRED"}')
      assertEnvelope(yield* FileCalls.get(file_url), 404)
      assert.match(yield* raw(port, `${head}Content-Length: 0\r\n\r\n`), /^HTTP\/1\.1 200 /)
      assert.strictEqual((yield* FileCalls.get(file_url)).text, "")
    })
  )

  it.effect("rejects a Content-Range", () =>
    Effect.gen(function* () {
      const { file_url, upload_url } = yield* FileCalls.initiate()
      const reply = yield* FileCalls.put(upload_url, "x", { ...png, "content-range": "bytes 0-0/2" })
      assertEnvelope(reply, 400)
      assert.deepStrictEqual(issuesOf(reply), [["Content-Range", "invalid"]])
      assertEnvelope(yield* FileCalls.get(file_url), 404)
    })
  )

  it.effect("allows only PUT", () =>
    Effect.gen(function* () {
      const { upload_url } = yield* FileCalls.initiate()
      assertEnvelope(yield* FileCalls.get(upload_url), 404)
      for (const method of ["POST", "DELETE"]) {
        const reply = yield* FileCalls.get(upload_url, {}, method)
        assertEnvelope(reply, 405)
        assert.strictEqual(reply.headers["allow"], "GET, HEAD, PUT")
      }
    })
  )

  it.effect("of a deleted file is 410, and of an unknown one 404", () =>
    Effect.gen(function* () {
      const { file_url, upload_url } = yield* FileCalls.initiate()
      const id = FileCalls.idOf(file_url)
      const { key, port } = yield* TestServer.TestServer
      yield* raw(
        port,
        `DELETE /files/${id} HTTP/1.1\r\nHost: x\r\nAuthorization: ${key}\r\nConnection: close\r\n\r\n`
      )
      assertRefused(yield* FileCalls.put(upload_url, "x"), 410, "FILE_GONE")
      assertEnvelope(yield* FileCalls.put(upload_url.replace(id, "x".repeat(24)), "x"), 404)
      assertEnvelope(yield* FileCalls.put(upload_url.replace(id, "short"), "x"), 404)
    })
  )
})

const run = util.promisify(child.execFile)

layer(TestServer.layer(), { excludeTestServices: true })("an unwanted body", (it) => {
  const size = 64 * 1024 * 1024

  it.effect("does not keep undici from reading the answer, at once or in pieces", () =>
    Effect.gen(function* () {
      const url = yield* expiredUrl
      const bodies = [
        Buffer.alloc(size),
        Readable.from(Array.from({ length: size / 65_536 }, () => Buffer.alloc(65_536)))
      ]
      for (const body of bodies) {
        const reply = yield* Effect.promise(() => request(url, { method: "PUT", headers: png, body }))
        assert.strictEqual(reply.statusCode, 403)
        assert.strictEqual(reply.headers["connection"], "close")
        assert.deepInclude(yield* Effect.promise(() => reply.body.json()), {
          details: { code: "URL_EXPIRED" }
        })
      }
    })
  )

  it.effect("is rejected as soon as it exceeds the limit, whatever its announced length", () =>
    Effect.gen(function* () {
      const { file_url, upload_url } = yield* FileCalls.initiate({ ...FileCalls.cat, size: 100_000 })
      const body = Readable.from(Array.from({ length: size / 65_536 }, () => Buffer.alloc(65_536)))
      const reply = yield* Effect.promise(() => request(upload_url, { method: "PUT", headers: png, body }))
      assert.strictEqual(reply.statusCode, 413)
      assert.strictEqual(reply.headers["connection"], "close")
      assert.deepInclude(yield* Effect.promise(() => reply.body.json()), {
        details: { code: "FILE_TOO_LARGE", limit: 100_000 }
      })
      assertEnvelope(yield* FileCalls.get(file_url), 404)
    })
  )

  it.effect.each([
    ["waiting for 100 Continue", "Expect: 100-continue"],
    ["sending at once", "Expect:"]
  ] as const)("does not keep curl from reading the answer, %s", ([, header]) =>
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const file = yield* fs.makeTempFileScoped()
      yield* fs.truncate(file, size)
      const url = yield* expiredUrl
      for (const encoding of ["X-None:", "Transfer-Encoding: chunked"]) {
        const headers = ["Content-Type: image/png", header, encoding].flatMap((line) => ["-H", line])
        const options = ["-sS", "-w", "%{http_code}", ...headers, "-T", file, url]
        const { stdout } = yield* Effect.promise(() => run("curl", options))
        assert.match(stdout, /"URL_EXPIRED".*403$/s)
      }
    })
  )

  it.effect("gets no 100 Continue, and a wanted one does", () =>
    Effect.gen(function* () {
      const { port } = yield* TestServer.TestServer
      const put = (url: string) => {
        const { pathname, search } = new URL(url)
        const head = `PUT ${pathname}${search} HTTP/1.1\r\nHost: x\r\nContent-Type: image/png\r\nContent-Length: 4\r\n`
        return `${head}Expect: 100-continue\r\nConnection: close\r\n\r\n`
      }
      const refused = yield* raw(port, put(yield* expiredUrl))
      assert.match(refused, /^HTTP\/1\.1 403 /)
      assert.notInclude(refused, "100 Continue")
      const { upload_url } = yield* FileCalls.initiate()
      const accepted = yield* raw(port, `${put(upload_url)}purr`)
      assert.match(accepted, /^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 200 OK\r\n/)
    })
  )
})
