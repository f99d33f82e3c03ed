/** The contract's single-part flow ("Uploads") with the local store, and its errors. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { noLimits } from "#domain/account/Limits.ts"
import { AccountActors } from "#src/features/accounts/AccountActors.ts"
import * as TestServer from "#test/support/TestServer.ts"
import { assertEnvelope, call, issuesOf, jsonHeaders } from "#test/support/src/edges/http/Calls.ts"
import * as Deliveries from "#test/support/src/edges/http/Deliveries.ts"
import * as FileCalls from "#test/support/src/edges/http/FileCalls.ts"
import * as NaughtyBodies from "#test/support/src/edges/http/NaughtyBodies.ts"

layer(TestServer.layer(), { excludeTestServices: true })("a file in one piece", (it) => {
  it.effect("is announced, is 404 until its upload, and then returns the uploaded bytes", () =>
    Effect.gen(function* () {
      const { file_url, upload_url } = yield* FileCalls.initiate()
      assertEnvelope(yield* FileCalls.get(file_url), 404)
      const stored = yield* FileCalls.put(upload_url, "purr")
      assert.deepStrictEqual([stored.status, stored.text], [200, ""])
      assert.strictEqual(stored.headers["etag"], `"${FileCalls.md5("purr")}"`)
      assert.strictEqual(stored.headers["content-length"], "0")
      const reply = yield* FileCalls.get(file_url)
      assert.deepStrictEqual([reply.status, reply.text], [200, "purr"])
      assert.deepInclude(reply.headers, {
        "content-type": "image/png",
        "content-length": "4",
        etag: `"${FileCalls.md5("purr")}"`
      })
    })
  )

  it.effect("keeps its cleaned name behind random characters", () =>
    Effect.gen(function* () {
      const names = ["cat.png", "../../etc/passwd", "a\u0000b\r\n.txt", "ü 😀.png", "..", "😀".repeat(1024)]
      const kept = ["cat.png", "passwd", "ab.txt", "ü 😀.png", "file", "😀".repeat(63)]
      const ids = new Set<string>()
      for (const [index, file_name] of names.entries()) {
        const { file_url, upload_url } = yield* FileCalls.initiate({ ...FileCalls.cat, file_name })
        const { pathname } = new URL(file_url)
        assert.match(pathname, /^\/media\/[\w-]{24}\/[^/]+$/)
        const prefix = `${FileCalls.idOf(file_url).slice(0, 8)}-`
        assert.strictEqual(decodeURIComponent(pathname.split("/")[3] ?? ""), prefix + kept[index])
        ids.add(FileCalls.idOf(file_url))
        assert.strictEqual((yield* FileCalls.put(upload_url, "x")).status, 200)
        assert.strictEqual((yield* FileCalls.get(file_url)).status, 200)
      }
      assert.strictEqual(ids.size, names.length)
    })
  )

  it.effect("may be empty", () =>
    Effect.gen(function* () {
      const { url } = yield* FileCalls.uploaded("")
      const reply = yield* FileCalls.get(url)
      assert.deepStrictEqual([reply.status, reply.headers["content-length"], reply.text], [200, "0", ""])
      assertEnvelope(yield* FileCalls.get(url, { range: "bytes=0-" }), 416)
    })
  )

  it.effect("is uploaded once: its bytes never change", () =>
    Effect.gen(function* () {
      const { file_url, upload_url } = yield* FileCalls.initiate()
      yield* FileCalls.put(upload_url, "first")
      const again = yield* FileCalls.put(upload_url, "other")
      assertEnvelope(again, 409)
      assert.deepInclude(again.json, { details: { code: "UPLOAD_COMPLETED" } })
      assert.strictEqual((yield* FileCalls.put(upload_url, "first")).status, 200)
      assert.strictEqual((yield* FileCalls.get(file_url)).text, "first")
    })
  )

  it.effect.each([
    [{ file_name: "", content_type: "image/png" }, "file_name", "minLength"],
    [{ file_name: "a", content_type: "png" }, "content_type", "format"],
    [{ ...FileCalls.cat, size: -1 }, "size", "minimum"],
    [{ ...FileCalls.cat, size: "1" }, "size", "type"],
    [[], "", "type"]
  ] as const)("%j is rejected, in parts too", ([body, path, code]) =>
    Effect.gen(function* () {
      for (const post of [FileCalls.postInitiate, FileCalls.postMultipart]) {
        const reply = yield* post(body)
        assertEnvelope(reply, 400)
        assert.deepStrictEqual(issuesOf(reply), [[path, code]])
      }
    })
  )

  it.effect.each(NaughtyBodies.refused)("is rejected when its body is %s", ([, body]) =>
    Effect.map(
      call({ method: "POST", path: "/storage/upload/initiate", headers: jsonHeaders, body }),
      (reply) => assertEnvelope(reply, 400)
    )
  )

  it.effect("requires JSON", () =>
    Effect.map(FileCalls.postInitiate(FileCalls.cat, { "content-type": "text/plain" }), (reply) =>
      assertEnvelope(reply, 415)
    )
  )

  it.effect("of more than 5 GiB, or 10,000 times that in parts, is 413 with the limit", () =>
    Effect.gen(function* () {
      const [one, parts] = [5 * 1024 ** 3, 10_000 * 5 * 1024 ** 3]
      for (const [post, limit] of [
        [FileCalls.postInitiate, one],
        [FileCalls.postMultipart, parts]
      ] as const) {
        assert.strictEqual((yield* post({ ...FileCalls.cat, size: limit })).status, 200)
        const reply = yield* post({ ...FileCalls.cat, size: limit + 1 })
        assertEnvelope(reply, 413)
        assert.deepInclude(reply.json, { details: { code: "FILE_TOO_LARGE", limit } })
      }
    })
  )
})

/** An account with this storage quota in bytes. */
const limited = Effect.fnUntraced(function* (name: string, maxStoredBytes: number) {
  const authorization = yield* TestServer.openAccount(name)
  const limits = { ...noLimits, maxStoredBytes }
  const accountId = Deliveries.accountOf(name)
  yield* (yield* AccountActors).execute(accountId, { _tag: "ChangeLimits", at: 0, limits })
  return { authorization }
})

layer(TestServer.layer(), { excludeTestServices: true })("a quota", (it) => {
  it.effect("rejects announced or uploaded bytes beyond it, and reports the usage", () =>
    Effect.gen(function* () {
      const headers = yield* limited("limited", 10)
      yield* FileCalls.uploaded("four", { headers })
      const details = { code: "QUOTA_EXCEEDED", limit: 10, used: 4 }
      const { file_url, upload_url } = yield* FileCalls.initiate(FileCalls.cat, headers)
      for (const reply of [
        yield* FileCalls.postInitiate({ ...FileCalls.cat, size: 7 }, headers),
        yield* FileCalls.postMultipart({ ...FileCalls.cat, size: 7 }, headers),
        yield* FileCalls.put(upload_url, "seven..")
      ]) {
        assertEnvelope(reply, 413)
        assert.deepInclude(reply.json, { details })
      }
      assertEnvelope(yield* FileCalls.get(file_url), 404)
      assert.strictEqual((yield* FileCalls.put(upload_url, "six...")).status, 200)
    })
  )
})
