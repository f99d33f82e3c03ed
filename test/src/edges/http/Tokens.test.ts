/** What a token of a key opens, on every declared route, and which pages may use it. */
import { assert, layer } from "@effect/vitest"
import { Context, Effect, Schema } from "effect"
import { HttpApi } from "effect/http-api"
import { RequestId } from "#domain/Ids.ts"
import { ModelEndpoint } from "#domain/ModelEndpoint.ts"
import { Api } from "#src/edges/server/Api.ts"
import { Requires, TakesTokens } from "#src/edges/http/api/RouteAnnotations.ts"
import * as Lifecycle from "#test/support/Lifecycle.ts"
import * as TestServer from "#test/support/TestServer.ts"
import { accepted, assertEnvelope, call, issuesOf, jsonHeaders, submit } from "./Calls.ts"
import * as GrantedKeys from "./GrantedKeys.ts"
import { app, ask, codeOf, headersOf, make, other } from "./TokenCalls.ts"

const origins = [app]
const echo = ["sandbox/echo"]

const idOf = Schema.decodeUnknownSync(Schema.Struct({ request_id: RequestId }))

const keyed: Array<{
  readonly name: string
  readonly method: string
  readonly path: string
  readonly takes: string
}> = []
HttpApi.reflect(Api, {
  onGroup: () => {},
  onEndpoint: ({ endpoint, mergedAnnotations }) => {
    if (Context.get(mergedAnnotations, Requires) === null) return
    const { identifier: name, method, path } = endpoint
    keyed.push({ name, method, path, takes: Context.get(mergedAnnotations, TakesTokens) })
  }
})

const values: Readonly<Record<string, string>> = { ownerName: "sandbox", modelName: "echo" }

/** @param id of a request of `sandbox/echo`. */
const urlOf = (path: string, id: string) =>
  path.replaceAll(/:(\w+)/g, (_, name) => (name === "requestId" ? id : (values[name] ?? "x")))

layer(TestServer.layer(), { excludeTestServices: true })("a token", (it) => {
  it.effect("is made by any key that reads, for models, for a request or for reading", () =>
    Effect.gen(function* () {
      const id = yield* accepted()
      const before = Date.now()
      const models = yield* make({ expiresIn: 60, models: echo, origins })
      assert.deepInclude(models, { models: echo, request: null, readOnly: false, origins })
      assert.closeTo(Date.parse(models.expiresAt), before + 60_000, 5_000)
      const one = yield* make({ request: id })
      assert.deepInclude(one, { models: null, request: id, readOnly: false, origins: null })
      assert.closeTo(Date.parse(one.expiresAt), before + 600_000, 5_000)
      assert.deepInclude(yield* make({ readOnly: true, models: echo }), { models: echo, readOnly: true })
      const reads = yield* GrantedKeys.issue({ scopes: ["requests:read"] })
      yield* make({ readOnly: true }, reads)
      const refused = yield* ask({ models: echo }, reads)
      assertEnvelope(refused, 403)
      assert.strictEqual(codeOf(refused.json), "MISSING_SCOPE")
    })
  )

  it.effect("is refused when it says nothing, too much, or what its key may not", () =>
    Effect.gen(function* () {
      const refusals = [
        [{}, ""],
        [{ readOnly: false }, ""],
        [{ models: echo, request: "rq0qXk2Ab-0Zp1aB3dE5f" }, "models"],
        [{ models: ["echo"] }, "models.0"],
        [{ models: [] }, "models"],
        [{ request: "x" }, "request"],
        [{ readOnly: true, expiresIn: 0 }, "expiresIn"],
        [{ readOnly: true, expiresIn: 3601 }, "expiresIn"],
        [{ readOnly: true, origins: ["https://app.example/"] }, "origins.0"],
        [{ readOnly: true, origins: ["*"] }, "origins.0"],
        [{ readOnly: true, origins: ["null"] }, "origins.0"],
        [{ readOnly: true, origins: ["https://App.example"] }, "origins.0"],
        [{ readOnly: true, origins: ["https://app.example:443"] }, "origins.0"],
        [{ readOnly: true, scopes: ["billing:read"] }, "scopes"],
        [{ readOnly: true, user: "ada" }, "user"],
        [{ models: echo, user: "" }, "user"]
      ] as const
      for (const [body, path] of refusals) {
        const reply = yield* ask(body)
        assertEnvelope(reply, 400)
        assert.strictEqual(issuesOf(reply)[0]?.[0], path, reply.text)
      }
      for (const fine of ["http://localhost:3000", "http://[::1]:3000", "capacitor://localhost"]) {
        yield* make({ readOnly: true, origins: [fine] })
      }
      const narrow = yield* GrantedKeys.issue({ modelEndpoints: [ModelEndpoint.make("sandbox/echo")] })
      const wide = yield* ask({ models: ["sandbox/echo", "sandbox/slow"] }, narrow)
      assert.strictEqual(codeOf(wide.json), "GRANT_EXCEEDED")
      const { otherKey } = yield* TestServer.TestServer
      const foreign = yield* ask({ request: yield* accepted() }, { authorization: otherKey })
      assertEnvelope(foreign, 403)
      assertEnvelope(yield* ask({ request: "rq0qXk2Ab-0Zp1aB3dE5f" }), 404)
    })
  )

  it.effect("for a model submits to it, and follows and cancels what it has submitted, and no more", () =>
    Effect.gen(function* () {
      const headers = headersOf(yield* make({ models: ["sandbox/slow", ...echo], origins }))
      const reply = yield* submit({ seconds: 1 }, headers, "sandbox/slow")
      assert.strictEqual(reply.status, 200, reply.text)
      const path = `/sandbox/slow/requests/${idOf(reply.json).request_id}`
      // With a query the declared route answers, and without one the fast path.
      assert.strictEqual((yield* call({ path: `${path}/status`, headers })).status, 200)
      assert.strictEqual((yield* call({ path: `${path}/status?wait=0`, headers })).status, 200)
      assert.strictEqual((yield* call({ method: "PUT", path: `${path}/cancel`, headers })).status, 200)
      assert.strictEqual(codeOf((yield* call({ path, headers })).json), "REQUEST_CANCELLED")
      const others = headersOf(yield* make({ models: ["sandbox/slow"], origins }))
      for (const [of, at] of [
        [others, path],
        [headers, `/sandbox/echo/requests/${yield* accepted()}`]
      ] as const) {
        for (const suffix of [
          "",
          "/status",
          "/status?wait=0",
          "/cancel",
          "/status/stream",
          "/output/stream"
        ]) {
          const refused = yield* call({ path: `${at}${suffix}`, headers: of })
          assertEnvelope(refused, 403)
          assert.isUndefined(codeOf(refused.json))
          assert.strictEqual(refused.headers["access-control-allow-origin"], app)
        }
      }
      const elsewhere = yield* submit({ value: 1 }, others)
      assert.strictEqual(codeOf(elsewhere.json), "MODEL_NOT_GRANTED")
    })
  )

  it.effect("of a user opens the requests of this user, and of no other", () =>
    Effect.gen(function* () {
      const of = (user: string) =>
        Effect.map(make({ models: echo, user, origins }), (token) => headersOf(token))
      const reply = yield* submit({ value: 1 }, yield* of("ada"))
      const path = `/sandbox/echo/requests/${idOf(reply.json).request_id}/status`
      assert.strictEqual((yield* call({ path, headers: yield* of("ada") })).status, 200)
      assertEnvelope(yield* call({ path, headers: yield* of("bob") }), 403)
    })
  )

  it.effect("for a model works with the clients of fal and OpenAI, and for its own requests only", () =>
    Effect.gen(function* () {
      const headers = headersOf(yield* make({ models: echo, origins }))
      const falAt = (method: string, address: string, of = headers) =>
        call({
          method,
          path: "/compat/fal",
          headers: { ...jsonHeaders, ...of, "x-fal-target-url": address },
          ...(method === "POST" && { body: JSON.stringify({ value: 1 }) })
        })
      const fal = (method: string, target: string, of = headers) =>
        falAt(method, `https://queue.fal.run/sandbox/${target}`, of)
      const reply = yield* fal("POST", "echo")
      const id = idOf(reply.json).request_id
      assert.include([200, 202], (yield* fal("GET", `echo/requests/${id}/status`)).status)
      const others = headersOf(yield* make({ models: echo, origins }))
      assert.strictEqual((yield* fal("GET", `echo/requests/${id}/status`, others)).status, 403)
      assert.strictEqual((yield* fal("POST", "slow")).status, 403)
      const reading = headersOf(yield* make({ request: id, readOnly: true, origins }))
      assert.include([200, 202], (yield* fal("GET", `echo/requests/${id}/status`, reading)).status)
      for (const rest of ["storage/upload/initiate", "storage/upload/initiate-multipart", "tokens/"]) {
        const refused = yield* falAt("POST", `https://rest.fal.ai/${rest}`)
        assert.strictEqual(codeOf(refused.json), "TOKEN_NOT_GRANTED", rest)
      }
      for (const [method, target] of [
        ["PUT", `echo/requests/${id}/cancel`],
        ["POST", "echo"]
      ] as const) {
        assert.strictEqual((yield* fal(method, target, reading)).status, 403, target)
      }

      assert.strictEqual((yield* call({ path: "/v1/models", headers })).status, 200)
      const chat = yield* call({
        method: "POST",
        path: "/v1/chat/completions",
        headers: { ...jsonHeaders, ...headers },
        body: JSON.stringify({ model: "sandbox/slow", messages: [{ role: "user", content: "hi" }] })
      })
      assert.include([403, 404], chat.status, chat.text)
      assert.strictEqual(chat.headers["access-control-allow-origin"], app)
    })
  )

  it.effect("has idempotency keys of its own", () =>
    Effect.gen(function* () {
      const again = { "idempotency-key": "of the page" }
      const one = headersOf(yield* make({ models: echo, origins }))
      const two = headersOf(yield* make({ models: echo, origins }))
      const ids = yield* Effect.forEach([one, two, one], (headers) =>
        Effect.map(submit({ value: 1 }, { ...headers, ...again }), ({ json }) => idOf(json).request_id)
      )
      assert.strictEqual(ids[0], ids[2])
      assert.notStrictEqual(ids[0], ids[1])
    })
  )

  it.effect("for a request follows and cancels this one, and no more", () =>
    Effect.gen(function* () {
      const id = yield* accepted()
      yield* Lifecycle.start(id)
      yield* Lifecycle.deliver(id, { value: 1 })
      const path = `/sandbox/echo/requests/${id}`
      const headers = headersOf(yield* make({ request: id, origins }))
      for (const suffix of ["", "/status", "/cancel", "/status/stream", "/output/stream"]) {
        const reply = yield* call({ path: `${path}${suffix}`, headers })
        assert.strictEqual(reply.status, 200, suffix)
        assert.strictEqual(reply.headers["access-control-allow-origin"], app, suffix)
        assert.strictEqual(reply.headers["access-control-expose-headers"], "*", suffix)
        assert.strictEqual(reply.headers["vary"], "Origin", suffix)
      }
      assertEnvelope(yield* call({ path: `/sandbox/echo/requests/${yield* accepted()}`, headers }), 403)
      const refused = yield* submit({ value: 1 }, headers)
      assert.strictEqual(codeOf(refused.json), "TOKEN_NOT_GRANTED")
      const reading = headersOf(yield* make({ request: id, readOnly: true, origins }))
      assert.strictEqual((yield* call({ path, headers: reading })).status, 200)
      const cancel = yield* call({ path: `${path}/cancel`, headers: reading })
      assert.strictEqual(codeOf(cancel.json), "MISSING_SCOPE")
    })
  )

  it.effect("that reads sees the requests of its models, by id and in lists", () =>
    Effect.gen(function* () {
      const id = yield* accepted()
      const slow = yield* accepted("sandbox/slow", { seconds: 1 })
      const headers = headersOf(yield* make({ readOnly: true, models: echo, origins }))
      for (const path of [
        `/requests/${id}`,
        `/requests/${id}/events`,
        `/sandbox/echo/requests/${id}/status`
      ]) {
        assert.strictEqual((yield* call({ path, headers })).status, 200, path)
      }
      const { text } = yield* call({ path: "/requests?limit=100", headers })
      assert.include(text, id)
      assert.notInclude(text, slow)
      assertEnvelope(yield* call({ path: `/requests/${slow}`, headers }), 403)
      assert.strictEqual(codeOf((yield* submit({ value: 1 }, headers)).json), "TOKEN_NOT_GRANTED")
    })
  )

  it.effect("opens no other route, whatever its key may do", () =>
    Effect.gen(function* () {
      const id = yield* accepted()
      const tokens = {
        submit: headersOf(yield* make({ models: echo, origins })),
        request: headersOf(yield* make({ request: id, origins })),
        reads: headersOf(yield* make({ readOnly: true, origins }))
      }
      const taken = { submit: ["submit", "request"], request: ["request"], reads: ["reads", "request"] }
      for (const [kind, headers] of Object.entries(tokens)) {
        for (const { method, path, takes } of keyed) {
          if (taken[kind as keyof typeof taken].includes(takes)) continue
          const reply = yield* call({ method, path: urlOf(path, id), headers })
          assert.strictEqual(reply.status, 403, `${kind}: ${method} ${path}`)
          // The routes for other services' clients have errors of another form.
          assert.include(reply.text, "This token does not allow this call.", `${kind}: ${method} ${path}`)
        }
        assertEnvelope(yield* call({ method: "POST", path: "/workers/claim", headers }), 401)
        const { authorization } = headers
        const mcp = yield* call({ method: "POST", path: "/mcp", headers: { authorization } })
        assert.strictEqual(mcp.status, 401)
        assert.isAbove(keyed.filter(({ takes }) => takes === "none").length, 20)
      }
    })
  )

  it.effect("has the rates of its key, and its answers say so", () =>
    Effect.gen(function* () {
      const authorization = yield* TestServer.openAccount("rated")
      const { token } = yield* make({ models: echo, origins }, { authorization })
      yield* GrantedKeys.limit("rated", { keyRate: { requests: 2, windowSeconds: 3_600 } })
      const headers = headersOf({ token })
      assert.strictEqual((yield* submit({ value: 1 }, headers)).status, 200)
      assert.strictEqual((yield* submit({ value: 1 }, { authorization })).status, 200)
      const refused = yield* submit({ value: 1 }, headers)
      assertEnvelope(refused, 429)
      assert.strictEqual(refused.headers["access-control-allow-origin"], app)
    })
  )
})

layer(TestServer.layer(), { excludeTestServices: true })("a page", (it) => {
  it.effect("is told before its call which methods there are, on every route that asks for a key", () =>
    Effect.gen(function* () {
      for (const { method, path } of keyed) {
        const headers = {
          origin: other,
          "access-control-request-method": method,
          "access-control-request-headers": "authorization"
        }
        const reply = yield* call({ method: "OPTIONS", path: urlOf(path, "rq0qXk2Ab-0Zp1aB3dE5f"), headers })
        assert.strictEqual(reply.status, 204, path)
        assert.strictEqual(reply.headers["access-control-allow-origin"], "*", path)
        assert.include(String(reply.headers["access-control-allow-methods"]).split(", "), method, path)
        assert.strictEqual(reply.headers["access-control-allow-headers"], "authorization, *", path)
        assert.strictEqual(reply.headers["access-control-max-age"], "7200", path)
        assert.isUndefined(reply.headers["access-control-allow-credentials"], path)
      }
      const media = "/media/0123456789abcdef01234567/a.txt"
      const put = { origin: other, "access-control-request-method": "PUT" }
      const file = yield* call({ method: "OPTIONS", path: media, headers: put })
      assert.strictEqual(file.headers["access-control-allow-methods"], "GET, HEAD, PUT")
      const unsigned = yield* call({ method: "PUT", path: media, headers: { origin: other }, body: "x" })
      assert.strictEqual(unsigned.headers["access-control-allow-origin"], "*")
      const asks = { origin: app, "access-control-request-method": "POST" }
      for (const path of ["/workers/claim", "/mcp", "/health", "/metrics", "/a/b/c/d/e"]) {
        const reply = yield* call({ method: "OPTIONS", path, headers: asks })
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
      const body = { name: "page", origins }
      const created = yield* call({
        method: "POST",
        path: "/keys",
        headers: { "content-type": "application/json" },
        body: JSON.stringify(body)
      })
      assert.deepInclude(created.json, { origins })
      const named = `Key ${Reflect.get(Object(created.json), "key")}`
      const { token } = yield* make({ models: echo }, { authorization: named })
      const paths = [`/requests/${id}`, `/requests?limit=1`]
      for (const path of paths) {
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
          if (status === 403) assert.strictEqual(codeOf(reply.json), "ORIGIN_NOT_ALLOWED")
        }
        // Programs send no origin.
        const plain = yield* call({ path, headers: { authorization: without } })
        assert.strictEqual(plain.status, 200)
        assert.isUndefined(plain.headers["vary"])
      }
      const inherited = yield* submit({ value: 1 }, { authorization: `Bearer ${token}`, origin: app })
      assert.strictEqual(inherited.status, 200)
      const refused = yield* submit({ value: 1 }, { authorization: `Bearer ${token}`, origin: other })
      assert.strictEqual(codeOf(refused.json), "ORIGIN_NOT_ALLOWED")
      assert.strictEqual(
        codeOf((yield* ask({ models: echo, origins: [other] }, { authorization: named })).json),
        "GRANT_EXCEEDED"
      )
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
        const reply = yield* call({ path, headers: headersOf({ token: "tok_of.no.one" }) })
        assertEnvelope(reply, 401)
        assert.strictEqual(reply.headers["access-control-allow-origin"], "*")
        assert.strictEqual(reply.headers["access-control-expose-headers"], "*")
      }
      const headers = headersOf(yield* make({ models: echo, origins }))
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
