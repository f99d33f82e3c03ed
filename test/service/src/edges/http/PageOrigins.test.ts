/** Which pages may call with a key or a token, and what they may read of the answers. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import * as TestServer from "#test/support/TestServer.ts"
import { accepted, assertEnvelope, call, submit } from "#test/support/src/edges/http/Calls.ts"
import * as GrantedKeys from "#test/support/src/edges/http/GrantedKeys.ts"
import * as KeyCalls from "#test/support/src/edges/http/KeyCalls.ts"
import { keyedRoutes, urlOf } from "#test/support/src/edges/http/KeyedRoutes.ts"
import {
  app,
  appHeaders,
  ask,
  codeOf,
  headersOf,
  make,
  other
} from "#test/support/src/edges/http/TokenCalls.ts"

const models = ["sandbox/echo"]

/** Asks, as a browser does before a call, whether the page may make it. */
const preflight = (path: string, method: string, headers: Readonly<Record<string, string>> = {}) =>
  call({
    method: "OPTIONS",
    path,
    headers: { origin: other, "access-control-request-method": method, ...headers }
  })

layer(TestServer.layer(), { excludeTestServices: true })("a page", (it) => {
  it.effect("is told before its call which methods there are, on every route that asks for a key", () =>
    Effect.gen(function* () {
      for (const { method, path } of keyedRoutes) {
        const headers = { "access-control-request-headers": "authorization" }
        const reply = yield* preflight(urlOf(path, "rq0qXk2Ab-0Zp1aB3dE5f"), method, headers)
        assert.strictEqual(reply.status, 204, path)
        assert.strictEqual(reply.headers["access-control-allow-origin"], "*", path)
        assert.include(String(reply.headers["access-control-allow-methods"]).split(", "), method, path)
        assert.strictEqual(reply.headers["access-control-allow-headers"], "authorization, *", path)
        assert.strictEqual(reply.headers["access-control-max-age"], "7200", path)
        assert.isUndefined(reply.headers["access-control-allow-credentials"], path)
      }
      const media = "/media/0123456789abcdef01234567/a.txt"
      const file = yield* preflight(media, "PUT")
      assert.strictEqual(file.headers["access-control-allow-methods"], "GET, HEAD, PUT")
      const unsigned = yield* call({ method: "PUT", path: media, headers: { origin: other }, body: "x" })
      assert.strictEqual(unsigned.headers["access-control-allow-origin"], "*")
      for (const path of ["/workers/claim", "/mcp", "/health", "/metrics", "/a/b/c/d/e"]) {
        const reply = yield* preflight(path, "POST", { origin: app })
        assert.include([404, 405], reply.status, path)
        assert.isUndefined(reply.headers["access-control-allow-origin"], path)
      }
      // Without the headers of a preflight it is a method like any other.
      assertEnvelope(yield* call({ method: "OPTIONS", path: "/keys" }), 405)
    })
  )

  it.effect("uses a key or token that names its origin, and no other", () =>
    Effect.gen(function* () {
      const id = yield* accepted()
      const without = (yield* GrantedKeys.issue()).authorization
      const created = yield* KeyCalls.created({}, { origins: [app] })
      assert.deepStrictEqual(created.origins, [app])
      const named = `Key ${created.key}`
      const { token } = yield* make({ models }, { authorization: named })
      for (const path of [`/requests/${id}`, "/requests?limit=1"]) {
        for (const [authorization, origin, status] of [
          [named, app, 200],
          [named, other, 403],
          [named, "null", 403],
          [without, app, 403]
        ] as const) {
          const reply = yield* call({ path, headers: { authorization, origin } })
          assert.strictEqual(reply.status, status, `${path} ${origin}`)
          assert.strictEqual(reply.headers["vary"], "Origin")
          assert.strictEqual(
            reply.headers["access-control-allow-origin"],
            status === 200 ? origin : undefined
          )
          if (status === 403) assert.strictEqual(codeOf(reply), "ORIGIN_NOT_ALLOWED")
        }
        // Programs send no origin.
        const plain = yield* call({ path, headers: { authorization: without } })
        assert.strictEqual(plain.status, 200)
        assert.isUndefined(plain.headers["vary"])
      }
      const authorization = `Bearer ${token}`
      const inherited = yield* submit({ value: 1 }, { authorization, origin: app })
      assert.strictEqual(inherited.status, 200)
      const refused = yield* submit({ value: 1 }, { authorization, origin: other })
      assert.strictEqual(codeOf(refused), "ORIGIN_NOT_ALLOWED")
      const wider = yield* ask({ models, origins: [other] }, { authorization: named })
      assert.strictEqual(codeOf(wider), "GRANT_EXCEEDED")
    })
  )

  it.effect("of the server's own address uses every key", () =>
    Effect.gen(function* () {
      const { port } = yield* TestServer.TestServer
      for (const host of [`127.0.0.1:${port}`, `localhost:${port}`]) {
        const reply = yield* call({ path: "/requests", headers: { host, origin: `http://${host}` } })
        assert.strictEqual(reply.status, 200)
        assert.isUndefined(reply.headers["access-control-allow-origin"])
      }
    })
  )

  it.effect("reads why its token is refused, and every later error", () =>
    Effect.gen(function* () {
      for (const path of ["/requests/rq0qXk2Ab-0Zp1aB3dE5f", "/requests?limit=1"]) {
        const reply = yield* call({ path, headers: headersOf("tok_of.no.one") })
        assertEnvelope(reply, 401)
        assert.strictEqual(reply.headers["access-control-allow-origin"], "*")
        assert.strictEqual(reply.headers["access-control-expose-headers"], "*")
      }
      const headers = yield* appHeaders({ models })
      for (const [reply, status] of [
        [yield* submit("no object", headers), 400],
        [yield* submit({ value: 1 }, { ...headers, "content-type": "text/plain" }), 415],
        [yield* call({ path: "/sandbox/echo/requests/x/status", headers }), 400],
        [yield* call({ path: "/sandbox/echo/requests/rq0qXk2Ab-0Zp1aB3dE5f/output/stream", headers }), 404]
      ] as const) {
        assertEnvelope(reply, status)
        assert.strictEqual(reply.headers["access-control-allow-origin"], app)
      }
    })
  )
})
