import * as zlib from "node:zlib"
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import * as TestServer from "#test/support/TestServer.ts"
import { assertEnvelope } from "#test/support/src/edges/http/Calls.ts"
import {
  body,
  get,
  model,
  names,
  publish,
  template
} from "#test/support/src/edges/api/catalog/ShownCatalog.ts"

const paths = [
  "/models",
  "/models/sandbox/echo",
  "/models/sandbox/echo/schema",
  "/wrappers",
  "/wrappers/sandbox/greeting",
  "/wrappers/sandbox/greeting/schema",
  "/collections",
  "/search?query=echo",
  "/pricing",
  "/gpus",
  "/deployment-templates",
  "/deployment-templates/cached"
]

const open = publish({ templates: [template("cached", true)] })

layer(TestServer.layer({ catalogOnLog: true }), { excludeTestServices: true })("public reads", (it) => {
  it.effect.each(paths)("%s are 304 for clients that have them", (path) =>
    Effect.gen(function* () {
      yield* open
      const first = yield* get(path)
      assert.strictEqual(first.status, 200)
      assert.strictEqual(first.headers["content-type"], "application/json")
      assert.match(first.headers["cache-control"] ?? "", /^public, max-age=\d+, stale-while-revalidate=\d+$/)
      const { etag = "" } = first.headers
      assert.match(etag, /^"[^"]+"$/)
      const again = yield* get(path, { "if-none-match": etag })
      assert.deepStrictEqual([again.status, again.text, again.headers.etag], [304, "", etag])
      assert.strictEqual((yield* get(path, { "if-none-match": '"other"' })).status, 200)
      assert.strictEqual((yield* get(path, { "if-none-match": `"x", W/${etag}` })).status, 304)
    })
  )

  it.effect.each(paths)("HEAD of %s has the headers of GET and no body", (path) =>
    Effect.gen(function* () {
      yield* open
      const head = yield* get(path, {}, "HEAD")
      const { headers } = yield* get(path)
      assert.deepStrictEqual([head.status, head.text, head.headers.etag], [200, "", headers.etag])
      assert.strictEqual(head.headers["content-length"], headers["content-length"])
    })
  )

  it.effect.each(paths)("%s are readable by pages of any origin, with any key", (path) =>
    Effect.gen(function* () {
      yield* open
      const { text } = yield* get(path)
      const reply = yield* get(path, { origin: "https://app.acme.dev", authorization: "Key no:key" })
      assert.strictEqual(reply.text, text)
      assert.strictEqual(reply.headers["access-control-allow-origin"], "*")
      assert.match(reply.headers["access-control-expose-headers"] ?? "", /etag/)
      const preflight = yield* get(path, { origin: "https://app.acme.dev" }, "OPTIONS")
      assert.deepStrictEqual([preflight.status, preflight.text], [204, ""])
      assert.strictEqual(preflight.headers["access-control-allow-origin"], "*")
      assert.strictEqual(preflight.headers["access-control-allow-methods"], "GET, HEAD")
    })
  )

  it.effect("errors are readable by pages too, and not cached", () =>
    Effect.gen(function* () {
      for (const [path, status] of [
        ["/models/acme/none", 404],
        ["/models?limit=0", 400]
      ] as const) {
        const reply = yield* get(path)
        assertEnvelope(reply, status)
        assert.strictEqual(reply.headers["access-control-allow-origin"], "*")
        assert.strictEqual(reply.headers["cache-control"], "no-store")
      }
    })
  )

  it.effect("an estimate is allowed for pages with a JSON body", () =>
    Effect.gen(function* () {
      const { headers } = yield* get("/pricing/estimate", {}, "OPTIONS")
      assert.strictEqual(headers["access-control-allow-methods"], "POST")
      assert.match(headers["access-control-allow-headers"] ?? "", /content-type/)
    })
  )

  it.effect("routes of an account are closed to other origins", () =>
    Effect.gen(function* () {
      const preflight = yield* get("/keys", { origin: "https://app.acme.dev" }, "OPTIONS")
      assert.notProperty(preflight.headers, "access-control-allow-origin")
      assert.notProperty((yield* get("/keys")).headers, "access-control-allow-origin")
      const refused = yield* get("/keys", {}, "PUT")
      assertEnvelope(refused, 405)
      assert.notProperty(refused.headers, "access-control-allow-origin")
    })
  )

  it.effect("are compressed for clients that accept it, under another tag", () =>
    Effect.gen(function* () {
      const plain = yield* get("/models")
      const gzipped = yield* get("/models", { "accept-encoding": "gzip" })
      assert.strictEqual(zlib.gunzipSync(gzipped.bytes).toString(), plain.text)
      assert.isBelow(gzipped.bytes.length, plain.bytes.length)
      assert.notStrictEqual(gzipped.headers.etag, plain.headers.etag)
      assert.strictEqual(plain.headers.vary, "accept-encoding")
    })
  )

  it.effect("have another tag after a publication", () =>
    Effect.gen(function* () {
      const { headers } = yield* get("/models?limit=100")
      yield* publish({ models: [model("cached/another")] })
      const again = yield* get("/models?limit=100", { "if-none-match": headers.etag ?? "" })
      assert.strictEqual(again.status, 200)
      assert.include(names(Object(again.json).data), "cached/another")
      const found = yield* body("/search?query=cached/another")
      assert.deepStrictEqual(names(found.models)[0], "cached/another")
    })
  )

  it.effect.each([
    ["POST", "/models", "GET, HEAD"],
    ["DELETE", "/collections/best", "GET, HEAD"],
    ["GET", "/pricing/estimate", "POST"]
  ] as const)("%s %s is 405", ([method, path, allow]) =>
    Effect.gen(function* () {
      const reply = yield* get(path, {}, method)
      assertEnvelope(reply, 405)
      assert.strictEqual(reply.headers["access-control-allow-origin"], "*")
      assert.strictEqual(reply.headers.allow, allow)
    })
  )
})

const urls = {
  queueUrl: "https://queue.acme.dev",
  baseUrl: "https://api.acme.dev",
  mediaUrl: "https://media.acme.dev",
  mcpUrl: "https://mcp.acme.dev"
}

layer(TestServer.layer({ urls }), { excludeTestServices: true })("with four hosts", (it) => {
  it.effect.each(paths.slice(0, 1).concat("/search?query=echo", "/gpus", "/pricing", "/collections"))(
    "%s is served on the platform host only",
    (path) =>
      Effect.gen(function* () {
        assert.strictEqual((yield* get(path, { host: "api.acme.dev" })).status, 200)
        for (const host of ["queue.acme.dev", "media.acme.dev", "mcp.acme.dev", "elsewhere.acme.dev"]) {
          assertEnvelope(yield* get(path, { host }), 404)
          assertEnvelope(yield* get(path, { host }, "OPTIONS"), 404)
        }
      })
  )
})
