import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { MediaStore } from "#src/features/media/MediaStore.ts"
import { send } from "#test/support/HttpProbe.ts"
import * as TestServer from "#test/support/TestServer.ts"
import { assertEnvelope } from "#test/support/src/edges/http/Calls.ts"
import * as MediaServices from "#test/support/MediaServices.ts"

const bytes = Uint8Array.from({ length: 1000 }, (_, index) => index % 251)

const stored = (contentType = "image/png", fileName = "a picture.png") =>
  Effect.flatMap(MediaStore, (store) =>
    store.put({ ...MediaServices.made, fileName, contentType, body: bytes })
  )

const get = (url: string, headers: Readonly<Record<string, string>> = {}, method = "GET") =>
  Effect.flatMap(TestServer.TestServer, ({ port }) =>
    send(port, { method, path: new URL(url).pathname, headers })
  )

layer(TestServer.layer(), { excludeTestServices: true })("GET /media/{id}/{fileName}", (it) => {
  it.effect("returns the bytes, without a key", () =>
    Effect.gen(function* () {
      const { etag, url } = yield* stored()
      const reply = yield* get(url)
      assert.strictEqual(reply.status, 200)
      assert.isTrue(reply.bytes.equals(bytes))
      assert.include(reply.headers, {
        "content-type": "image/png",
        "content-length": "1000",
        "accept-ranges": "bytes",
        "x-content-type-options": "nosniff",
        "content-security-policy": "default-src 'none'; sandbox",
        etag
      })
      assert.match(String(reply.headers["content-disposition"]), /^inline; /)
    })
  )

  it.effect.each([
    "text/html",
    "image/svg+xml",
    "application/xhtml+xml",
    "application/xml",
    "text/javascript",
    "application/pdf"
  ])("serves %s as an attachment", (type) =>
    Effect.gen(function* () {
      const { url } = yield* stored(type)
      const { headers } = yield* get(url)
      assert.match(String(headers["content-disposition"]), /^attachment; /)
      assert.include(headers, {
        "content-type": type,
        "x-content-type-options": "nosniff",
        "content-security-policy": "default-src 'none'; sandbox"
      })
    })
  )

  it.effect("answers HEAD without the bytes, and 304 for the tag", () =>
    Effect.gen(function* () {
      const { etag, url } = yield* stored()
      const head = yield* get(url, {}, "HEAD")
      assert.deepStrictEqual([head.status, head.headers["content-length"], head.text], [200, "1000", ""])
      assert.include(head.headers, { "content-type": "image/png", "accept-ranges": "bytes", etag })
      assert.strictEqual((yield* get(url, { range: "bytes=0-1" }, "HEAD")).status, 200)
      for (const known of [etag, `W/${etag}`, "*", `"other", ${etag}`]) {
        for (const method of ["GET", "HEAD"]) {
          // The condition is judged before the range (RFC 9110, 13.2.2).
          const same = yield* get(url, { "if-none-match": known, range: "bytes=5000-" }, method)
          assert.deepStrictEqual([same.status, same.text], [304, ""])
          assert.strictEqual(same.headers["etag"], etag)
        }
      }
      assert.strictEqual((yield* get(url, { "if-none-match": '"other"' })).status, 200)
    })
  )

  it.effect("is 412 when If-Match does not name its bytes, compared strongly", () =>
    Effect.gen(function* () {
      const { etag, url } = yield* stored()
      for (const method of ["GET", "HEAD"]) {
        for (const wanted of [etag, "*", `"other", ${etag}`]) {
          assert.strictEqual((yield* get(url, { "if-match": wanted }, method)).status, 200)
          // Both conditions hold: the client has the bytes already.
          const same = yield* get(url, { "if-match": wanted, "if-none-match": etag }, method)
          assert.strictEqual(same.status, 304)
        }
        for (const wanted of ['"other"', `W/${etag}`, etag.replaceAll('"', ""), ""]) {
          const conditions = { "if-match": wanted, "if-none-match": etag, range: "bytes=5000-" }
          assert.strictEqual((yield* get(url, conditions, method)).status, 412)
        }
      }
      assertEnvelope(yield* get(url, { "if-match": '"other"' }), 412)
    })
  )

  it.effect("returns a range only of the bytes that If-Range names; a date matches nothing", () =>
    Effect.gen(function* () {
      const { etag, url } = yield* stored()
      const status = (condition: string) =>
        Effect.map(get(url, { range: "bytes=0-1", "if-range": condition }), (reply) => reply.status)
      assert.strictEqual(yield* status(etag), 206)
      for (const condition of [
        `W/${etag}`,
        '"other"',
        new Date(0).toUTCString(),
        "Sat, 01 Jan 2050 00:00:00 GMT"
      ]) {
        assert.strictEqual(yield* status(condition), 200, condition)
      }
    })
  )

  it.effect("may be cached briefly, by its reader only", () =>
    Effect.gen(function* () {
      const { url } = yield* stored()
      const { headers } = yield* get(url)
      assert.strictEqual(headers["cache-control"], "private, max-age=300")
      const { headers: refused } = yield* get(url, { range: "bytes=5000-" })
      assert.strictEqual(refused["cache-control"], "no-store")
    })
  )

  it.effect.each([
    ["bytes=0-0", 0, 1],
    ["bytes=10-19", 10, 20],
    ["bytes=990-", 990, 1000],
    ["bytes=990-5000", 990, 1000],
    ["bytes=-5", 995, 1000],
    ["bytes=-5000", 0, 1000]
  ] as const)("answers %s with that part", ([range, start, end]) =>
    Effect.gen(function* () {
      const { url } = yield* stored()
      const reply = yield* get(url, { range })
      assert.strictEqual(reply.status, 206)
      assert.strictEqual(reply.headers["content-range"], `bytes ${start}-${end - 1}/1000`)
      assert.strictEqual(reply.headers["content-length"], String(end - start))
      assert.isTrue(reply.bytes.equals(bytes.subarray(start, end)))
    })
  )

  it.effect.each(["bytes=1000-", "bytes=-0"])("returns no byte of %s", (range) =>
    Effect.gen(function* () {
      const { url } = yield* stored()
      const reply = yield* get(url, { range })
      assertEnvelope(reply, 416)
      assert.strictEqual(reply.headers["content-range"], "bytes */1000")
    })
  )

  it.effect.each([
    [{ range: "bytes=5-2" }],
    [{ range: "bytes=0-1,5-6" }],
    [{ range: "lines=1-2" }],
    [{ range: "bytes=0-1", "if-range": '"another"' }]
  ])("returns all bytes for %j", ([headers]) =>
    Effect.gen(function* () {
      const { url } = yield* stored()
      assert.strictEqual((yield* get(url, headers)).status, 200)
    })
  )

  it.effect.each([`/media/${"x".repeat(24)}/a.png`, "/media/short/a.png", "/media/..%2f..%2fetc%2fpasswd/a"])(
    "%s is 404",
    (path) => Effect.map(get(`http://x${path}`), (reply) => assertEnvelope(reply, 404))
  )

  it.effect.each(["GET", "HEAD"])("a removed file is 410 to %s, under any name", (method) =>
    Effect.gen(function* () {
      const { id, etag, url } = yield* stored()
      yield* (yield* MediaStore).remove(id, "requested")
      const reply = yield* get(`${url}.other`, { "if-none-match": etag, range: "bytes=0-1" }, method)
      assert.strictEqual(reply.status, 410)
      if (method === "HEAD") return
      assertEnvelope(reply, 410)
      assert.deepInclude(reply.json, { details: { code: "FILE_GONE" } })
    })
  )
})
