/** What a token of a key opens, on every declared route. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { ModelEndpoint } from "#domain/ModelEndpoint.ts"
import * as Lifecycle from "#test/support/Lifecycle.ts"
import * as TestServer from "#test/support/TestServer.ts"
import {
  accepted,
  assertEnvelope,
  call,
  idOf,
  issuesOf,
  jsonHeaders,
  submit
} from "#test/support/src/edges/http/Calls.ts"
import * as GrantedKeys from "#test/support/src/edges/http/GrantedKeys.ts"
import { keyedRoutes, urlOf } from "#test/support/src/edges/http/KeyedRoutes.ts"
import { app, appHeaders, ask, codeOf, make } from "#test/support/src/edges/http/TokenCalls.ts"

const echo = ["sandbox/echo"]

/** Of what may be read of a request. */
const suffixes = ["", "/status", "/cancel", "/status/stream", "/output/stream"]

layer(TestServer.layer(), { excludeTestServices: true })("a token", (it) => {
  it.effect("is made by any key that reads, for models, for a request or for reading", () =>
    Effect.gen(function* () {
      const id = yield* accepted()
      const before = Date.now()
      const models = yield* make({ expiresIn: 60, models: echo, origins: [app] })
      assert.deepInclude(models, { models: echo, request: null, readOnly: false, origins: [app] })
      assert.closeTo(Date.parse(models.expiresAt), before + 60_000, 5_000)
      const one = yield* make({ request: id })
      assert.deepInclude(one, { models: null, request: id, readOnly: false, origins: null })
      assert.closeTo(Date.parse(one.expiresAt), before + 600_000, 5_000)
      assert.deepInclude(yield* make({ readOnly: true, models: echo }), { models: echo, readOnly: true })
      const reads = yield* GrantedKeys.issue({ scopes: ["requests:read"] })
      yield* make({ readOnly: true }, reads)
      const refused = yield* ask({ models: echo }, reads)
      assertEnvelope(refused, 403)
      assert.strictEqual(codeOf(refused), "MISSING_SCOPE")
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
      assert.strictEqual(codeOf(wide), "GRANT_EXCEEDED")
      const { otherKey } = yield* TestServer.TestServer
      const foreign = yield* ask({ request: yield* accepted() }, { authorization: otherKey })
      assertEnvelope(foreign, 403)
      assertEnvelope(yield* ask({ request: "rq0qXk2Ab-0Zp1aB3dE5f" }), 404)
    })
  )

  it.effect("for a model submits to it, and follows and cancels what it has submitted, and no more", () =>
    Effect.gen(function* () {
      const headers = yield* appHeaders({ models: ["sandbox/slow", ...echo] })
      const reply = yield* submit({ seconds: 1 }, headers, "sandbox/slow")
      assert.strictEqual(reply.status, 200, reply.text)
      const path = `/sandbox/slow/requests/${idOf(reply)}`
      // With a query the declared route answers, and without one the fast path.
      assert.strictEqual((yield* call({ path: `${path}/status`, headers })).status, 200)
      assert.strictEqual((yield* call({ path: `${path}/status?wait=0`, headers })).status, 200)
      assert.strictEqual((yield* call({ method: "PUT", path: `${path}/cancel`, headers })).status, 200)
      assert.strictEqual(codeOf(yield* call({ path, headers })), "REQUEST_CANCELLED")
      const others = yield* appHeaders({ models: ["sandbox/slow"] })
      for (const [of, at] of [
        [others, path],
        [headers, `/sandbox/echo/requests/${yield* accepted()}`]
      ] as const) {
        for (const suffix of [...suffixes, "/status?wait=0"]) {
          const refused = yield* call({ path: `${at}${suffix}`, headers: of })
          assertEnvelope(refused, 403)
          assert.isUndefined(codeOf(refused))
          assert.strictEqual(refused.headers["access-control-allow-origin"], app)
        }
      }
      const elsewhere = yield* submit({ value: 1 }, others)
      assert.strictEqual(codeOf(elsewhere), "MODEL_NOT_GRANTED")
    })
  )

  it.effect("of a user opens the requests of this user, and of no other", () =>
    Effect.gen(function* () {
      const of = (user: string) => appHeaders({ models: echo, user })
      const reply = yield* submit({ value: 1 }, yield* of("ada"))
      const path = `/sandbox/echo/requests/${idOf(reply)}/status`
      assert.strictEqual((yield* call({ path, headers: yield* of("ada") })).status, 200)
      assertEnvelope(yield* call({ path, headers: yield* of("bob") }), 403)
    })
  )

  it.effect("for a model works with the clients of fal and OpenAI, and for its own requests only", () =>
    Effect.gen(function* () {
      const headers = yield* appHeaders({ models: echo })
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
      const id = idOf(reply)
      assert.include([200, 202], (yield* fal("GET", `echo/requests/${id}/status`)).status)
      const others = yield* appHeaders({ models: echo })
      assert.strictEqual((yield* fal("GET", `echo/requests/${id}/status`, others)).status, 403)
      assert.strictEqual((yield* fal("POST", "slow")).status, 403)
      const reading = yield* appHeaders({ request: id, readOnly: true })
      assert.include([200, 202], (yield* fal("GET", `echo/requests/${id}/status`, reading)).status)
      for (const rest of ["storage/upload/initiate", "storage/upload/initiate-multipart", "tokens/"]) {
        const refused = yield* falAt("POST", `https://rest.fal.ai/${rest}`)
        assert.strictEqual(codeOf(refused), "TOKEN_NOT_GRANTED", rest)
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
      const one = yield* appHeaders({ models: echo })
      const two = yield* appHeaders({ models: echo })
      const ids = yield* Effect.forEach([one, two, one], (headers) =>
        Effect.map(submit({ value: 1 }, { ...headers, ...again }), idOf)
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
      const headers = yield* appHeaders({ request: id })
      for (const suffix of suffixes) {
        const reply = yield* call({ path: `${path}${suffix}`, headers })
        assert.strictEqual(reply.status, 200, suffix)
        assert.strictEqual(reply.headers["access-control-allow-origin"], app, suffix)
        assert.strictEqual(reply.headers["access-control-expose-headers"], "*", suffix)
        assert.strictEqual(reply.headers["vary"], "Origin", suffix)
      }
      assertEnvelope(yield* call({ path: `/sandbox/echo/requests/${yield* accepted()}`, headers }), 403)
      const refused = yield* submit({ value: 1 }, headers)
      assert.strictEqual(codeOf(refused), "TOKEN_NOT_GRANTED")
      const reading = yield* appHeaders({ request: id, readOnly: true })
      assert.strictEqual((yield* call({ path, headers: reading })).status, 200)
      const cancel = yield* call({ path: `${path}/cancel`, headers: reading })
      assert.strictEqual(codeOf(cancel), "MISSING_SCOPE")
    })
  )

  it.effect("that reads sees the requests of its models, by id and in lists", () =>
    Effect.gen(function* () {
      const id = yield* accepted()
      const slow = yield* accepted("sandbox/slow", { seconds: 1 })
      const headers = yield* appHeaders({ readOnly: true, models: echo })
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
      assert.strictEqual(codeOf(yield* submit({ value: 1 }, headers)), "TOKEN_NOT_GRANTED")
    })
  )

  it.effect("opens no other route, whatever its key may do", () =>
    Effect.gen(function* () {
      const id = yield* accepted()
      assert.isAbove(keyedRoutes.filter(({ takes }) => takes === "none").length, 20)
      const kinds: ReadonlyArray<readonly [object, ReadonlyArray<string>]> = [
        [{ models: echo }, ["submit", "request"]],
        [{ request: id }, ["request"]],
        [{ readOnly: true }, ["reads", "request"]]
      ]
      for (const [body, opened] of kinds) {
        const headers = yield* appHeaders(body)
        for (const { method, path } of keyedRoutes.filter(({ takes }) => !opened.includes(takes))) {
          const route = `${opened[0]}: ${method} ${path}`
          const reply = yield* call({ method, path: urlOf(path, id), headers })
          assert.strictEqual(reply.status, 403, route)
          // The routes for other services' clients have errors of another form.
          assert.include(reply.text, "This token does not allow this call.", route)
        }
        assertEnvelope(yield* call({ method: "POST", path: "/workers/claim", headers }), 401)
        const { authorization } = headers
        const mcp = yield* call({ method: "POST", path: "/mcp", headers: { authorization } })
        assert.strictEqual(mcp.status, 401)
      }
    })
  )

  it.effect("has the rates of its key, and its answers say so", () =>
    Effect.gen(function* () {
      const authorization = yield* TestServer.openAccount("rated")
      const headers = yield* appHeaders({ models: echo }, { authorization })
      yield* GrantedKeys.limit("rated", { keyRate: { requests: 2, windowSeconds: 3_600 } })
      assert.strictEqual((yield* submit({ value: 1 }, headers)).status, 200)
      assert.strictEqual((yield* submit({ value: 1 }, { authorization })).status, 200)
      const refused = yield* submit({ value: 1 }, headers)
      assertEnvelope(refused, 429)
      assert.strictEqual(refused.headers["access-control-allow-origin"], app)
    })
  )
})
