/** The pages that may call the console, and where they are: calls of other sites are refused. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { assertEnvelope } from "#test/support/src/edges/http/Calls.ts"
import { raw } from "#test/support/HttpProbe.ts"
import * as TestServer from "#test/support/TestServer.ts"
import { account, bodyOf, browser, server, signedIn } from "#test/support/src/edges/console/SessionScene.ts"

layer(server, { excludeTestServices: true })("A session of an account", (it) => {
  it.effect("is for pages of this server only", () =>
    Effect.gen(function* () {
      const { port } = yield* TestServer.TestServer
      const { text } = yield* account("session-foreign")
      const one = yield* signedIn(text)
      const own = `http://127.0.0.1:${port}`
      const header = { "x-inferlog-console": "1" }
      const write = (page: Readonly<Record<string, string>>) =>
        Effect.map(
          one.call({ method: "POST", path: "/console/api/sandbox/echo", json: { value: 1 }, page }),
          (reply) => [reply.status, bodyOf(reply).details?.code]
        )
      const refused = [403, "FOREIGN_ORIGIN"]
      assert.deepStrictEqual(yield* write({}), refused)
      assert.deepStrictEqual(yield* write({ origin: own }), refused)
      assert.deepStrictEqual(yield* write(header), refused)
      assert.deepStrictEqual(yield* write({ ...header, origin: "https://evil.test" }), refused)
      assert.deepStrictEqual(yield* write({ ...header, origin: "null" }), refused)
      assert.deepStrictEqual(yield* write({ ...header, origin: own, "sec-fetch-site": "same-site" }), refused)
      assert.strictEqual((yield* write({ ...header, origin: own, "sec-fetch-site": "same-origin" }))[0], 200)

      const read = (path: string, page: Readonly<Record<string, string>>) =>
        Effect.map(one.call({ path, page }), ({ headers, status }) => [
          status,
          headers["access-control-allow-origin"]
        ])
      for (const path of ["/console/api/requests", "/console/session", "/console/session/all"]) {
        assert.deepStrictEqual(yield* read(path, { "sec-fetch-site": "cross-site" }), [403, undefined])
        assert.deepStrictEqual(yield* read(path, { origin: "https://evil.test" }), [403, undefined])
        assert.deepStrictEqual(yield* read(path, { "sec-fetch-site": "same-origin" }), [200, undefined])
      }
      const preflight = yield* raw(
        port,
        "OPTIONS /console/api/sandbox/echo HTTP/1.1\r\nhost: a\r\norigin: https://evil.test\r\naccess-control-request-method: POST\r\nconnection: close\r\n\r\n"
      )
      assert.match(preflight, /^HTTP\/1.1 403 /)
      assert.notMatch(preflight, /access-control/i)
      for (const method of ["POST", "DELETE"]) {
        const path = method === "POST" ? "/console/session" : "/console/session?kind=account"
        const reply = yield* one.call({ method, path, page: { origin: own }, json: { api_key: text } })
        assertEnvelope(reply, 403)
      }
    })
  )
})

const baseUrl = "https://api.example/inferlog"

layer(TestServer.layer({ urls: { baseUrl } }), { excludeTestServices: true })(
  "A session below the path of a proxy",
  (it) => {
    it.effect("is opened and used by pages of the public address, and named for it", () =>
      Effect.gen(function* () {
        const { text } = yield* account("session-below-a-path")
        const page = { origin: "https://api.example", "x-inferlog-console": "1" }
        const one = yield* browser
        const here = { headers: { host: "api.example" }, page }
        const json = { api_key: text }
        const opened = yield* one.call({ ...here, method: "POST", path: "/console/session", json })
        assert.strictEqual(opened.status, 200, opened.text)
        assert.match(one.cookiesOf(opened)[0] ?? "", /^__Host-inferlog-console-account=.*; Secure/)
        assert.strictEqual(bodyOf(opened).urls.baseUrl, baseUrl)
        const echo = { method: "POST", path: "/console/api/sandbox/echo", json: { value: 1 } }
        const submitted = yield* one.call({ ...here, ...echo })
        assert.strictEqual(submitted.status, 200, submitted.text)
        const foreign = { ...page, origin: "https://www.api.example" }
        assertEnvelope(yield* one.call({ ...here, ...echo, page: foreign }), 403)

        const html = (yield* one.call({ ...here, path: "/console/requests" })).text
        assert.include(html, '<meta name="inferlog-path" content="/inferlog/console"')
        assert.match(html, /<script [^>]*src="\/inferlog\/console\/assets\//)
      })
    )
  }
)
