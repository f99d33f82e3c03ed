/** Messages that do not reach the tools, and their answers. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import * as HttpProbe from "#test/support/HttpProbe.ts"
import * as TestServer from "#test/support/TestServer.ts"
import * as Limits from "#src/edges/mcp/body/MessageLimits.ts"
import * as ToolClient from "#test/support/src/edges/mcp/ToolClient.ts"
import * as ToolServer from "#test/support/src/edges/mcp/ToolServer.ts"

const ping = { jsonrpc: "2.0", id: 9, method: "ping" }

/** A server, and the headers of the first account without a session. */
const open = Effect.gen(function* () {
  const { key, urls } = yield* TestServer.TestServer
  const server = yield* ToolServer.start
  return { ...server, origin: urls.mcpUrl, bearer: ToolServer.bearerOf(key) }
})

/** The code of a JSON-RPC error and the id of its request. */
const codeOf = ({ json }: HttpProbe.Reply) => [Object(json).error?.code, Object(json).id]

layer(ToolServer.layer)("the tool server", (it) => {
  it.effect("points a caller without an access token to the authorization server", () =>
    Effect.gen(function* () {
      const { origin, port } = yield* open
      const metadata = `Bearer resource_metadata="${origin}/.well-known/oauth-protected-resource", scope="mcp"`
      const none = yield* ToolClient.post(port, ToolClient.initialize(), {})
      assert.strictEqual(none.status, 401)
      assert.strictEqual(none.headers["www-authenticate"], metadata)
      assert.hasAllKeys(none.json, ["error", "request_id"])
      const wrong = yield* ToolClient.post(port, ToolClient.initialize(), { authorization: "Bearer x:y" })
      assert.strictEqual(wrong.status, 401)
      assert.match(String(wrong.headers["www-authenticate"]), /^Bearer .*, error="invalid_token", error_des/)
      assert.isTrue(String(wrong.headers["www-authenticate"]).startsWith(metadata))
    })
  )

  it.effect("points a request for a stream without a token to the authorization server", () =>
    Effect.gen(function* () {
      const { origin, port } = yield* open
      const metadata = `Bearer resource_metadata="${origin}/.well-known/oauth-protected-resource", scope="mcp"`
      const accept = { accept: "text/event-stream" }
      for (const method of ["GET", "HEAD"]) {
        const none = yield* HttpProbe.send(port, { method, path: "/mcp", headers: accept })
        assert.strictEqual(none.status, 401, method)
        assert.strictEqual(none.headers["www-authenticate"], metadata)
        const authorization = "Bearer x:y"
        const wrong = yield* HttpProbe.send(port, {
          method,
          path: "/mcp",
          headers: { ...accept, authorization }
        })
        assert.strictEqual(wrong.status, 401, method)
        assert.match(String(wrong.headers["www-authenticate"]), /^Bearer .*, error="invalid_token"/)
      }
    })
  )

  it.effect("admits web pages of its own origin only, without reading the other requests", () =>
    Effect.gen(function* () {
      const { bearer, origin, port } = yield* open
      const from = (page: string, headers: Readonly<Record<string, string>> = bearer) =>
        ToolClient.post(port, ToolClient.initialize(), { ...headers, origin: page })
      assert.strictEqual((yield* from(origin)).status, 200)
      for (const page of [
        "http://evil.example",
        "null",
        `${origin}.evil.example`,
        origin.replace("http", "https")
      ]) {
        for (const headers of [bearer, {}]) assert.strictEqual((yield* from(page, headers)).status, 403, page)
      }
    })
  )

  it.effect("accepts POST and DELETE only", () =>
    Effect.gen(function* () {
      const { bearer, port } = yield* open
      for (const method of ["GET", "HEAD", "OPTIONS", "PUT"]) {
        const reply = yield* HttpProbe.send(port, { method, path: "/mcp", headers: bearer })
        assert.strictEqual(reply.status, 405, method)
        assert.strictEqual(reply.headers["allow"], "DELETE, POST")
        if (method !== "HEAD") {
          assert.deepInclude(Object(reply.json), { error: "This route answers DELETE, POST only." })
        }
      }
      for (const method of ["OPTIONS", "PUT"]) {
        const reply = yield* HttpProbe.send(port, { method, path: "/mcp" })
        assert.strictEqual(reply.status, 405, method)
        assert.strictEqual(reply.headers["allow"], "DELETE, POST")
      }
    })
  )

  it.effect("requires JSON, and a client that accepts both forms of an answer", () =>
    Effect.gen(function* () {
      const { bearer, port } = yield* open
      const statusWith = (headers: Readonly<Record<string, string>>) =>
        Effect.map(
          ToolClient.post(port, ToolClient.initialize(), { ...bearer, ...headers }),
          ({ status }) => status
        )
      assert.strictEqual(yield* statusWith({ "content-type": "text/plain" }), 415)
      assert.strictEqual(yield* statusWith({ "content-encoding": "gzip" }), 415)
      assert.strictEqual(yield* statusWith({ accept: "application/json" }), 406)
      assert.strictEqual(yield* statusWith({ accept: "text/event-stream" }), 406)
      assert.strictEqual(yield* statusWith({ accept: "*/*" }), 200)
      assert.strictEqual(yield* statusWith({ accept: "text/event-stream, application/*;q=0.1" }), 200)
    })
  )

  it.effect("rejects messages that are not JSON-RPC", () =>
    Effect.gen(function* () {
      const { bearer, port } = yield* open
      const headers = yield* ToolClient.session(port, bearer)
      const send = (body: string | Uint8Array) =>
        HttpProbe.send(port, {
          method: "POST",
          path: "/mcp",
          headers: { ...ToolClient.forms, ...headers },
          body
        })
      const broken = ["{", "", "[1,]", Buffer.from([0x22, 0xff, 0x22]), "[".repeat(1e5), '{"id":1e999}']
      for (const body of broken) {
        const reply = yield* send(body)
        assert.strictEqual(reply.status, 400, String(body).slice(0, 20))
        assert.deepStrictEqual(codeOf(reply), [-32700, null])
      }
      const batch = yield* send(JSON.stringify(Array.from({ length: 21 }, () => ping)))
      assert.strictEqual(batch.status, 400)
      assert.deepStrictEqual(codeOf(batch), [-32600, null])
      for (const body of ["[]", "1", "null", '"x"', '{"jsonrpc":"2.0"}', '{"__proto__":{"method":"ping"}}']) {
        const reply = yield* send(body)
        assert.deepStrictEqual(codeOf(reply), [-32600, null], `${body} ${reply.text}`)
      }
    })
  )

  it.effect("rejects messages with too many or too long parts, without repeating them", () =>
    Effect.gen(function* () {
      const { bearer, port } = yield* open
      const headers = yield* ToolClient.session(port, bearer)
      const names = Object.fromEntries(Array.from({ length: 5_000 }, (_, at) => [`name${at}`, 1]))
      const lists = Array.from({ length: 30_000 }, () => [])
      for (const [message, error] of [
        [ToolClient.toolCall(1, "whoami", names), /members and elements/],
        [ToolClient.toolCall(1, "whoami", { input: lists }), /members and elements/],
        [{ ...ping, ...names }, /members and elements/],
        [{ ...ping, params: { _meta: { lists } } }, /members and elements/],
        [{ jsonrpc: "2.0", method: "notifications/initialized", params: names }, /members and elements/],
        [{ ...ping, id: "name".repeat(9_999) }, /characters/],
        [[ping, { ...ping, method: "name".repeat(9_999) }], /characters/]
      ] as const) {
        const reply = yield* ToolClient.post(port, message, headers)
        assert.strictEqual(reply.status, 413, reply.text)
        assert.match(Object(reply.json).error, error)
        assert.notInclude(reply.text, "name1")
        assert.isBelow(reply.text.length, 500)
      }
      assert.strictEqual((yield* ToolClient.post(port, ping, headers)).status, 200)
    })
  )

  it.effect("advises what to do about a message whose announced length is too large", () =>
    Effect.gen(function* () {
      const { bearer, port } = yield* open
      const reply = yield* HttpProbe.send(port, {
        method: "POST",
        path: "/mcp",
        headers: { ...ToolClient.forms, ...bearer, "content-length": String(Limits.maxBytes + 1) },
        body: ""
      })
      assert.strictEqual(reply.status, 413)
      assert.match(Object(reply.json).error, /by `url`/)
    })
  )

  it.effect("requires initialize first, once and without a session", () =>
    Effect.gen(function* () {
      const { bearer, port } = yield* open
      const early = yield* ToolClient.post(port, ping, bearer)
      assert.strictEqual(early.status, 400)
      assert.deepStrictEqual(codeOf(early), [-32600, 9])
      const headers = yield* ToolClient.session(port, bearer)
      assert.match(headers["mcp-session-id"], /^[\x21-\x7e]{22,}$/)
      const again = yield* ToolClient.post(port, ToolClient.initialize(), headers)
      assert.strictEqual(again.status, 400)
      assert.deepStrictEqual(codeOf(again), [-32600, 0])
      assert.strictEqual((yield* ToolClient.post(port, ping, headers)).status, 200)
      const unnamed = yield* ToolClient.end(port, bearer)
      assert.strictEqual(unnamed.status, 400)
    })
  )

  it.effect("rejects an initialize of more than 8 KiB, or with too many small values", () =>
    Effect.gen(function* () {
      const { bearer, port, sessions } = yield* open
      const { params, ...message } = ToolClient.initialize()
      const initializeWith = (more: object) => ({ ...message, params: { ...params, ...more } })
      const experimental = Object.fromEntries(Array.from({ length: 500 }, (_, index) => [`x${index}`, {}]))
      const refused = [
        initializeWith({ clientInfo: { name: "x".repeat(8 * 1024), version: "1" } }),
        initializeWith({ capabilities: { experimental } })
      ]
      for (const initialize of refused) {
        assert.strictEqual((yield* ToolClient.post(port, initialize, bearer)).status, 413)
      }
      assert.strictEqual(sessions.size(), 0)
      const fine = initializeWith({ clientInfo: { name: "x".repeat(7 * 1024), version: "1" } })
      assert.strictEqual((yield* ToolClient.post(port, fine, bearer)).status, 200)
    })
  )

  it.effect("opens no session for an initialize without an id", () =>
    Effect.gen(function* () {
      const { bearer, port, sessions } = yield* open
      for (const id of [undefined, null, {}]) {
        const reply = yield* ToolClient.post(port, { ...ToolClient.initialize(), id }, bearer)
        assert.strictEqual(reply.status, 400)
        assert.deepStrictEqual(codeOf(reply), [-32600, null])
        assert.isUndefined(reply.headers["mcp-session-id"])
      }
      assert.strictEqual(sessions.size(), 0)
    })
  )

  it.effect("opens no session for an incomplete initialize", () =>
    Effect.gen(function* () {
      const { bearer, port, sessions } = yield* open
      const reply = yield* ToolClient.post(port, { jsonrpc: "2.0", id: 1, method: "initialize" }, bearer)
      assert.deepStrictEqual(codeOf(reply), [-32602, 1], reply.text)
      assert.isUndefined(reply.headers["mcp-session-id"])
      assert.strictEqual(sessions.size(), 0)
    })
  )

  it.effect("negotiates each version it knows, and accepts later messages under any of them", () =>
    Effect.gen(function* () {
      const { bearer, port } = yield* open
      for (const version of ["2025-11-25", "2025-06-18", "2025-03-26"]) {
        const reply = yield* ToolClient.post(port, ToolClient.initialize(version), bearer)
        assert.deepNestedInclude(Object(reply.json), { "result.protocolVersion": version })
      }
      const unknown = yield* ToolClient.post(port, ToolClient.initialize("2031-01-01"), bearer)
      assert.deepNestedInclude(Object(unknown.json), { "result.protocolVersion": "2025-11-25" })
      const headers = yield* ToolClient.session(port, bearer)
      const withVersion = (version: string) =>
        ToolClient.post(port, ping, { ...headers, "mcp-protocol-version": version })
      for (const version of ["2025-11-25", "2025-06-18", "2025-03-26"]) {
        assert.strictEqual((yield* withVersion(version)).status, 200, version)
      }
      for (const version of ["2031-01-01", "x"]) {
        assert.strictEqual((yield* withVersion(version)).status, 400, version)
      }
    })
  )

  it.effect("accepts batches in a session of 2025-03-26 only", () =>
    Effect.gen(function* () {
      const { bearer, port } = yield* open
      const batch = [ping, { ...ping, id: 10 }, { jsonrpc: "2.0", method: "notifications/initialized" }]
      const opened = yield* ToolClient.post(port, ToolClient.initialize("2025-03-26"), bearer)
      const old = { ...bearer, "mcp-session-id": String(opened.headers["mcp-session-id"]) }
      const answered = yield* ToolClient.post(port, batch, old)
      assert.strictEqual(answered.status, 200, answered.text)
      const ids = Object(answered.json).map(({ id }: { id: number }) => id)
      assert.sameMembers(ids, [9, 10])
      const refused = yield* ToolClient.post(port, batch, yield* ToolClient.session(port, bearer))
      assert.strictEqual(refused.status, 400)
      assert.deepStrictEqual(codeOf(refused), [-32600, null])
    })
  )

  it.effect("accepts notifications with an empty answer", () =>
    Effect.gen(function* () {
      const { bearer, port } = yield* open
      const headers = yield* ToolClient.session(port, bearer)
      const reply = yield* ToolClient.post(
        port,
        { jsonrpc: "2.0", method: "notifications/initialized" },
        headers
      )
      assert.strictEqual(reply.status, 202)
      assert.strictEqual(reply.text, "")
    })
  )
})
