import * as zlib from "node:zlib"
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import * as TestServer from "#test/support/TestServer.ts"
import { assertEnvelope, call } from "#test/support/src/edges/http/Calls.ts"

/** The address of the script in the page. */
const scriptPath = Effect.map(call({ path: "/docs" }), ({ text }) => {
  const [, address = ""] = /<script src="([^"]+)">/.exec(text) ?? []
  return `/${address}`
})

const gzip = { "accept-encoding": "gzip, deflate, br" }

layer(TestServer.layer(), { excludeTestServices: true })("GET /docs", (it) => {
  it.effect("is a page that loads nothing from other hosts", () =>
    Effect.gen(function* () {
      const { headers, status, text } = yield* call({ path: "/docs" })
      assert.strictEqual(status, 200)
      assert.strictEqual(headers["content-type"], "text/html; charset=utf-8")
      assert.strictEqual(headers["x-content-type-options"], "nosniff")
      assert.strictEqual(headers["referrer-policy"], "no-referrer")
      const policy = String(headers["content-security-policy"])
      assert.match(policy, /^default-src 'none'; /)
      assert.notMatch(policy, /https?:|\*|unsafe-eval|script-src[^;]*unsafe/)
      assert.notMatch(text, /https?:\/\/(?!127\.0\.0\.1)/)
    })
  )

  it.effect("serves its script under its digest, cacheable forever", () =>
    Effect.gen(function* () {
      const path = yield* scriptPath
      assert.match(path, /^\/docs\/scalar\.js\?v=[0-9a-f]{64}$/)
      const named = yield* call({ path })
      assert.strictEqual(named.status, 200)
      assert.strictEqual(named.headers["content-type"], "text/javascript; charset=utf-8")
      assert.strictEqual(named.headers["x-content-type-options"], "nosniff")
      assert.strictEqual(named.headers["cache-control"], "public, max-age=31536000, immutable")
      const unnamed = yield* call({ path: "/docs/scalar.js?v=other" })
      assert.strictEqual(unnamed.headers["cache-control"], "public, max-age=300")
      assert.isTrue(unnamed.bytes.equals(named.bytes))
    })
  )

  it.effect("is compressed only for clients that accept it", () =>
    Effect.gen(function* () {
      for (const path of ["/docs", yield* scriptPath]) {
        const plain = yield* call({ path })
        const refused = yield* call({ path, headers: { "accept-encoding": "br, gzip;q=0" } })
        const compressed = yield* call({ path, headers: gzip })
        assert.strictEqual(plain.headers["vary"], "accept-encoding")
        assert.notProperty(refused.headers, "content-encoding")
        assert.strictEqual(compressed.headers["content-encoding"], "gzip")
        assert.isTrue(zlib.gunzipSync(compressed.bytes).equals(plain.bytes))
        assert.notStrictEqual(compressed.headers["etag"], plain.headers["etag"])
      }
    })
  )

  it.effect("is 304 for a client that has the current version", () =>
    Effect.gen(function* () {
      for (const path of ["/docs", yield* scriptPath]) {
        for (const coding of [{}, gzip]) {
          const { headers } = yield* call({ path, headers: coding })
          const known = { ...coding, "if-none-match": String(headers["etag"]) }
          const reply = yield* call({ path, headers: known })
          assert.strictEqual(reply.status, 304)
          assert.strictEqual(reply.text, "")
          assert.strictEqual(reply.headers["etag"], headers["etag"])
          assert.strictEqual(reply.headers["cache-control"], headers["cache-control"])
        }
      }
    })
  )

  it.effect("answers HEAD with headers only, and other methods with 405", () =>
    Effect.gen(function* () {
      for (const path of ["/docs", yield* scriptPath]) {
        const get = yield* call({ path })
        const head = yield* call({ path, method: "HEAD" })
        assert.strictEqual(head.status, 200)
        assert.strictEqual(head.text, "")
        for (const name of ["content-length", "content-type", "etag", "cache-control"]) {
          assert.strictEqual(head.headers[name], get.headers[name], name)
        }
        const post = yield* call({ path, method: "POST" })
        assertEnvelope(post, 405)
        assert.strictEqual(post.headers["allow"], "GET, HEAD")
      }
    })
  )
})

const urls = {
  queueUrl: "https://queue.acme.dev",
  baseUrl: "https://api.acme.dev",
  mediaUrl: "https://media.acme.dev",
  mcpUrl: "https://mcp.acme.dev"
}

layer(TestServer.layer({ urls }), { excludeTestServices: true })("GET /docs with four hosts", (it) => {
  it.effect.each(Object.values(urls))("is served at %s, like the description", (url) =>
    Effect.gen(function* () {
      const headers = { host: new URL(url).host }
      assert.strictEqual((yield* call({ path: "/docs", headers })).status, 200)
      assert.strictEqual((yield* call({ path: "/docs/scalar.js", headers })).status, 200)
      assert.strictEqual((yield* call({ path: "/openapi.json", headers })).status, 200)
    })
  )
})
