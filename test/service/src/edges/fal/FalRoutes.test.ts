/** What fal's client is refused, and states that a model of the sandbox does not reach by itself. */
import { assert, layer } from "@effect/vitest"
import { vi } from "vitest"
import { ValidationError, type FalClient } from "@fal-ai/client"
import { Effect } from "effect"
import { RequestId } from "#domain/Ids.ts"
import { RequestActors } from "#src/features/requests/RequestActors.ts"
import * as TestServer from "#test/support/TestServer.ts"
import { call } from "#test/support/src/edges/http/Calls.ts"
import * as GrantedKeys from "#test/support/src/edges/http/GrantedKeys.ts"
import * as TokenCalls from "#test/support/src/edges/http/TokenCalls.ts"
import * as FalClients from "#test/support/src/edges/fal/FalClients.ts"

const keyOf = (authorization: string) => authorization.replace(/^Key /, "")

const clients = Effect.map(TestServer.TestServer, ({ key, otherKey, poorKey, urls }) => ({
  fal: FalClients.connect(urls.queueUrl, keyOf(key)),
  other: FalClients.connect(urls.queueUrl, keyOf(otherKey)),
  poor: FalClients.connect(urls.queueUrl, keyOf(poorKey)),
  stranger: FalClients.connect(urls.queueUrl, "nobody:0123456789abcdef")
}))

const echo = "sandbox/echo"
const input = { value: 1 }

const submit = (fal: FalClient, options: Partial<Parameters<FalClient["queue"]["submit"]>[1]> = {}) =>
  Effect.promise(async () => {
    const { request_id } = await fal.queue.submit(echo, { input, ...options })
    return RequestId.make(request_id)
  })

const refused = (call: () => Promise<unknown>) => Effect.promise(() => FalClients.thrown(call()))

layer(TestServer.layer(), { excludeTestServices: true })("calls of fal's client", (it) => {
  it.effect("without a proper key, model or balance are refused", () =>
    Effect.gen(function* () {
      const { fal, poor, stranger } = yield* clients
      const unknown = yield* refused(() => stranger.run(echo, { input }))
      assert.strictEqual(unknown.status, 401)
      assert.property(unknown.body, "detail")
      const missing = yield* refused(() => fal.subscribe("fal-ai/flux/unheard-of", { input }))
      assert.deepStrictEqual([missing.status, missing.message], [404, "Model not found."])
      const unpaid = yield* refused(() => poor.queue.submit(echo, { input }))
      assert.strictEqual(unpaid.status, 402)
      assert.deepInclude(unpaid.body, { error_type: "insufficient_balance" })
    })
  )

  it.effect("name every fault of an input, and none of its values", () =>
    Effect.gen(function* () {
      const { fal } = yield* clients
      const error = yield* refused(() => fal.run(echo, { input: { delayMs: "s3cret", other: 2 } }))
      assert.instanceOf(error, ValidationError)
      assert.notInclude(JSON.stringify(error.body), "s3cret")
      if (error instanceof ValidationError) assert.isAtLeast(error.fieldErrors.length, 2)
      const none = yield* refused(() => fal.run(echo, {}))
      assert.strictEqual(none.status, 422)
    })
  )

  it.effect("of unknown requests are 404, of other accounts 403", () =>
    Effect.gen(function* () {
      const { fal, other } = yield* clients
      const requestId: string = yield* submit(fal)
      for (const id of ["764cabcf-b745-4b3e-ae38-1200304cf45b", "rq0000000000000000000"]) {
        const { cancel, result, status } = fal.queue
        for (const read of [status, result, cancel]) {
          assert.strictEqual((yield* refused(() => read(echo, { requestId: id }))).status, 404)
        }
        const stream = yield* Effect.promise(() => fal.queue.streamStatus(echo, { requestId: id }))
        assert.strictEqual((yield* refused(() => stream.done())).status, 404)
      }
      const elsewhere = yield* refused(() => fal.queue.status("sandbox/slow", { requestId }))
      assert.strictEqual(elsewhere.status, 404)
      const { cancel, result, status } = other.queue
      for (const read of [status, result, cancel]) {
        assert.strictEqual((yield* refused(() => read(echo, { requestId }))).status, 403)
      }
    })
  )

  it.effect("with options that have no meaning here are refused, and not accepted without them", () =>
    Effect.gen(function* () {
      const { fal } = yield* clients
      const { submit } = fal.queue
      const calls = {
        priority: () => submit(echo, { input, priority: "low" }),
        hint: () => submit(echo, { input, hint: "warm" }),
        storageSettings: () => submit(echo, { input, storageSettings: { expiresIn: "1h" } }),
        "x-fal-no-retry": () => submit(echo, { input, headers: { "X-Fal-No-Retry": "1" } }),
        "x-fal-future": () => submit(echo, { input, headers: { "x-fal-future": "1" } }),
        startTimeout: () => submit(echo, { input, startTimeout: 1e9 }),
        "a query parameter": () => fal.run(echo, { input, method: "get" }),
        lifecycle: () => fal.storage.upload(new Blob(["x"]), { lifecycle: { expiresIn: "1h" } })
      }
      for (const [name, call] of Object.entries(calls)) {
        const { message, status } = yield* refused(call)
        assert.include(name === "a query parameter" ? [405] : [422], status, name)
        if (status === 422) assert.include(message, name)
      }
    })
  )

  it.effect("with a webhook have it, as the only one, or are refused", () =>
    Effect.gen(function* () {
      const { fal } = yield* clients
      const actors = yield* RequestActors
      const webhookUrl = "https://hooks.acme.dev/fal?a=1&b=%22"
      for (const given of [{ value: 1 }, { value: 1, webhook: "https://hooks.acme.dev/other" }]) {
        const id = yield* submit(fal, { webhookUrl, input: given })
        const { state } = yield* actors.current(id)
        assert.deepInclude(state._tag === "Request" ? state.submitted.webhook : {}, { url: webhookUrl })
      }
      const secret = "http://169.254.169.254/latest"
      for (const url of [secret, "https://inside.acme.dev/hook", "https://user:pw@hooks.acme.dev/x"]) {
        const error = yield* refused(() => fal.queue.submit(echo, { input, webhookUrl: url }))
        assert.strictEqual(error.status, 422, url)
        assert.include(error.message, "webhook")
      }
      const empty = yield* refused(() => fal.queue.submit(echo, { input: {}, webhookUrl }))
      assert.include(empty.message, "value")
    })
  )

  it.effect("with a start timeout expire, and say so once", () =>
    Effect.gen(function* () {
      const { fal } = yield* clients
      const actors = yield* RequestActors
      const requestId = yield* submit(fal, { startTimeout: 1.5 })
      const { state } = yield* actors.current(requestId)
      if (state._tag !== "Request") return assert.fail("no request")
      const { at, deadlines } = state.submitted
      assert.deepStrictEqual(deadlines, { startBy: at + 2_000 })
      yield* actors.execute(requestId, { _tag: "Expire", at: at + 2_000 })
      const status = yield* Effect.promise(() => fal.queue.status(echo, { requestId }))
      assert.propertyVal(status, "status", "COMPLETED")
      const error = yield* refused(() => fal.queue.result(echo, { requestId }))
      assert.strictEqual(error.status, 504)
      // Else the client would retry.
      assert.isTrue(error.isUserTimeout)
    })
  )

  it.effect("of a model with a longer id at fal are followed under owner and app", () =>
    Effect.gen(function* () {
      const { fal } = yield* clients
      const { request_id: requestId } = yield* Effect.promise(() =>
        fal.queue.submit("sandbox/provider/fail", { input: {} })
      )
      const status = yield* Effect.promise(() => fal.queue.status("sandbox/provider/fail", { requestId }))
      assert.strictEqual(status.status, "IN_QUEUE")
      const other = yield* refused(() => fal.queue.status("sandbox/prov", { requestId }))
      assert.strictEqual(other.status, 404)
    })
  )

  it.effect("to realtime connections, and for tokens of browsers, are refused", () =>
    Effect.gen(function* () {
      const { urls, key } = yield* TestServer.TestServer
      // It warns of its own token provider.
      vi.spyOn(console, "warn").mockImplementation(() => {})
      const heard: Array<readonly [number, unknown]> = []
      const fal = FalClients.connect(urls.queueUrl, keyOf(key), {
        through: async (...sent) => {
          const answer = await fetch(...sent)
          heard.push([answer.status, await answer.clone().json()])
          return answer
        }
      })
      const stream = yield* Effect.promise(() => fal.stream(echo, { input, connectionMode: "client" }))
      const error = yield* refused(() => stream.done())
      assert.strictEqual(error.status, 501)
      assert.match(error.message, /Realtime/)
      // The client does not report why it has no token.
      const connection = fal.realtime.connect(echo, { throttleInterval: 0, onResult: () => {} })
      connection.send(input)
      yield* Effect.promise(() => vi.waitUntil(() => heard.length === 2))
      assert.deepInclude(heard[1]?.[1], { error_type: "realtime_unsupported" })
    })
  )

  it.effect("need the scope of their operation, and tokens only those for which they are", () =>
    Effect.gen(function* () {
      const path = "/compat/fal"
      const operations = {
        "requests:write": ["POST", "https://fal.run/sandbox/none"],
        "requests:read": ["GET", "https://queue.fal.run/sandbox/echo/requests/none"],
        "files:write": ["POST", "https://rest.fal.ai/storage/upload/initiate?storage_type=x"]
      } as const
      const send = ([method, target]: readonly [string, string], authorization: string) =>
        call({
          method,
          path,
          headers: { authorization, "x-fal-target-url": target, "content-type": "application/json" },
          ...(method === "POST" && { body: "{}" })
        })
      for (const scope of ["requests:write", "requests:read", "files:write"] as const) {
        const { authorization } = yield* GrantedKeys.issue({ scopes: [scope] })
        for (const [needed, operation] of Object.entries(operations)) {
          const { json } = yield* send(operation, authorization)
          const isRefused = Object(json).error_type === "missing_scope"
          assert.strictEqual(isRefused, needed !== scope, `${scope} at ${operation[1]}`)
        }
      }
      const { token } = yield* TokenCalls.make({ expiresIn: 60, models: ["sandbox/echo"] })
      const refused = yield* send(operations["files:write"], `Key ${token}`)
      assert.deepInclude(refused.json, { error_type: "token_not_granted" })
    })
  )

  it.effect("by hand: a missing and a foreign address, and other methods", () =>
    Effect.gen(function* () {
      const path = "/compat/fal"
      const target = (url: string) => ({ "x-fal-target-url": url, "content-type": "application/json" })
      const missing = yield* call({ method: "POST", path, headers: {}, body: "{}" })
      assert.deepInclude(missing.json, { error_type: "target_missing" })
      const foreign = yield* call({ path, headers: target("https://example.com/") })
      assert.strictEqual(foreign.status, 412)
      const unauthorized = yield* call({ path, headers: { authorization: "Key x", ...target("https://x/") } })
      assert.strictEqual(unauthorized.status, 401)
      assert.property(unauthorized.json, "detail")
      const deleted = yield* call({ method: "DELETE", path, headers: target("https://fal.run/sandbox/echo") })
      assert.deepStrictEqual([deleted.status, deleted.headers.allow], [405, "GET, POST, PUT"])
      const broken = yield* call({
        method: "POST",
        path,
        headers: target("https://fal.run/sandbox/echo"),
        body: "{"
      })
      assert.deepInclude(broken.json, { detail: "The request body is not valid JSON." })
      const text = yield* call({
        method: "POST",
        path,
        headers: { "x-fal-target-url": "https://fal.run/sandbox/echo", "content-type": "text/plain" },
        body: "{}"
      })
      assert.strictEqual(text.status, 415)
    })
  )
})
