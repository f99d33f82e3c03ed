import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { AnonymousRate } from "#src/edges/api/catalog/EstimateAdmission.ts"
import * as TestServer from "#test/support/TestServer.ts"
import { send } from "#test/support/HttpProbe.ts"
import { assertEnvelope, issuesOf, jsonHeaders, submit } from "#test/support/src/edges/http/Calls.ts"
import * as GrantedKeys from "#test/support/src/edges/http/GrantedKeys.ts"
import * as NaughtyBodies from "#test/support/src/edges/http/NaughtyBodies.ts"
import {
  body,
  get,
  model,
  names,
  publish,
  wrapper
} from "#test/support/src/edges/api/catalog/ShownCatalog.ts"

const post = (text: string | Uint8Array, headers: Readonly<Record<string, string>> = jsonHeaders) =>
  Effect.flatMap(TestServer.TestServer, ({ port }) =>
    send(port, { method: "POST", path: "/pricing/estimate", headers, body: text })
  )

const estimate = (modelEndpoint: unknown, input: unknown) => post(JSON.stringify({ modelEndpoint, input }))

layer(TestServer.layer({ catalogOnLog: true }), { excludeTestServices: true })("prices", (it) => {
  it.effect("are of models and wrappers", () =>
    Effect.gen(function* () {
      yield* publish({ wrappers: [wrapper("acme/greeting")] })
      const { data, total } = yield* body("/pricing?limit=100")
      assert.includeMembers([...names(data)], ["sandbox/echo", "vision/resize", "acme/greeting"])
      assert.strictEqual(total, data.length)
      const one = yield* body("/pricing?modelEndpoint=vision/resize")
      const { effectiveFrom, ...price } = one.data[0]
      assert.strictEqual(new Date(effectiveFrom).toISOString(), effectiveFrom)
      assert.deepStrictEqual(price, {
        modelEndpoint: "vision/resize",
        unit: "megapixel",
        unitPrice: "0.001",
        currency: "USD",
        minimumCharge: "0"
      })
      assert.deepInclude(yield* body("/pricing?modelEndpoint=acme/none"), { total: 0, data: [], next: null })
    })
  )

  it.effect("are estimated for an input with known units", () =>
    Effect.gen(function* () {
      const { json, status } = yield* estimate("sandbox/slow", { seconds: 2.5 })
      assert.strictEqual(status, 200)
      assert.deepStrictEqual(json, {
        modelEndpoint: "sandbox/slow",
        quantity: "2.5",
        unit: "second",
        estimatedCost: "0.00025",
        currency: "USD",
        isMaximum: false,
        maximumCost: "0.00025",
        expectedSeconds: 1,
        expected: null
      })
    })
  )

  it.effect("are bounded when only the run determines the units", () =>
    Effect.gen(function* () {
      const input = { image: "https://hooks.acme.dev/a.png", width: 100 }
      const { json, status } = yield* estimate("vision/resize", input)
      assert.strictEqual(status, 200)
      const { estimatedCost, isMaximum, maximumCost } = Object(json)
      assert.isTrue(isMaximum)
      assert.strictEqual(estimatedCost, maximumCost)
      assert.match(estimatedCost, /^\d+(\.\d+)?$/)
    })
  )

  it.effect("of a wrapper are those of its base, after its own input is checked", () =>
    Effect.gen(function* () {
      yield* publish({ wrappers: [wrapper("acme/greeting")] })
      const { json } = yield* estimate("acme/greeting", { name: "Ada" })
      assert.deepInclude(json, { modelEndpoint: "acme/greeting", quantity: "1", estimatedCost: "0.001" })
      const refused = yield* estimate("acme/greeting", { name: 1 })
      assert.deepStrictEqual(issuesOf(refused), [["input.name", "type"]])
    })
  )

  it.effect("are not estimated for inputs that a submit rejects, with the same errors", () =>
    Effect.gen(function* () {
      const inputs = [{}, { seconds: "1" }, { seconds: -1, more: 1 }]
      for (const input of inputs) {
        const refused = yield* estimate("sandbox/slow", input)
        assertEnvelope(refused, 400)
        const submitted = issuesOf(yield* submit(input, {}, "sandbox/slow"))
        assert.isNotEmpty(submitted)
        const expected = submitted.map(
          ([path, code]) => [path === "" ? "input" : `input.${path}`, code] as const
        )
        assert.deepStrictEqual(issuesOf(refused), expected)
      }
    })
  )

  it.effect("are estimated without the webhook field", () =>
    Effect.gen(function* () {
      const { status } = yield* estimate("sandbox/slow", { seconds: 1, webhook: "https://hooks.acme.dev" })
      assert.strictEqual(status, 200)
    })
  )

  it.effect("are rejected without quoting the manifest when an expression fails, as are submits", () =>
    Effect.gen(function* () {
      const metering = { quantity: "$error('secret words')" }
      const { price } = model("acme/any")
      yield* publish({
        models: [
          model("acme/untold", {
            metering,
            price: { ...price, unit: "image" },
            providers: [{ name: "acme", adapter: "http", url: "http://10.0.0.5" }]
          })
        ]
      })
      const words = "The billable units of this input cannot be computed."
      const input = { value: "secret words" }
      const estimated = yield* estimate("acme/untold", input)
      const submitted = yield* submit(input, {}, "acme/untold")
      for (const reply of [estimated, submitted]) {
        assertEnvelope(reply, 400)
        assert.strictEqual(Object(reply.json).error[0].message, words)
        assert.notInclude(reply.text, "secret")
      }
      assert.deepStrictEqual(issuesOf(estimated), [["input", "units"]])
    })
  )

  it.effect("are 404 for unknown models", () =>
    Effect.map(estimate("acme/none", {}), (reply) => assertEnvelope(reply, 404))
  )

  it.effect.each([
    [{}, ["modelEndpoint", "required"]],
    [{ modelEndpoint: 1, input: {} }, ["modelEndpoint", "type"]],
    [{ modelEndpoint: "Not/One", input: {} }, ["modelEndpoint", "pattern"]],
    [{ modelEndpoint: "sandbox/echo" }, ["input", "required"]],
    [{ modelEndpoint: "sandbox/echo", input: [] }, ["input", "type"]],
    [{ modelEndpoint: "sandbox/echo", input: null }, ["input", "type"]]
  ] as const)("are not estimated for %j", ([sent, issue]) =>
    Effect.gen(function* () {
      const reply = yield* post(JSON.stringify(sent))
      assertEnvelope(reply, 400)
      assert.deepInclude(issuesOf(reply), issue)
    })
  )

  it.effect("are not estimated for invalid JSON or a body that is too large", () =>
    Effect.gen(function* () {
      for (const [name, bytes] of NaughtyBodies.refused) {
        const { status } = yield* post(bytes)
        assert.include([400, 413], status, name)
      }
      for (const [name, text] of NaughtyBodies.kept) {
        const { status } = yield* post(`{"modelEndpoint":"sandbox/echo","input":${text}}`)
        assert.include([200, 400], status, name)
      }
      assertEnvelope(yield* post("{}", {}), 415)
      assertEnvelope(yield* post("{}", { ...jsonHeaders, "content-encoding": "gzip" }), 415)
      const unannounced = { ...jsonHeaders, "transfer-encoding": "chunked" }
      for (const headers of [jsonHeaders, unannounced]) {
        assertEnvelope(yield* post(" ".repeat(64 * 1024 + 1), headers), 413)
        const keyed = { ...headers, authorization: (yield* TestServer.TestServer).key }
        assertEnvelope(yield* post(" ".repeat(64 * 1024 + 1), keyed), 400)
        assertEnvelope(yield* post(" ".repeat(1024 * 1024 + 1), keyed), 413)
      }
    })
  )

  it.effect("are limited in bytes per account and per address, with Retry-After", () =>
    Effect.gen(function* () {
      const text = JSON.stringify({ modelEndpoint: "sandbox/slow", input: { seconds: 1 } })
      const authorization = yield* TestServer.openAccount("many-bytes")
      const keyed = { ...jsonHeaders, authorization }
      const large = text.padEnd(1024 * 1024)
      for (const _ of [1, 2, 3, 4]) assert.strictEqual((yield* post(large, keyed)).status, 200)
      const refused = yield* post(large, keyed)
      assertEnvelope(refused, 429)
      const { retryAfter, ...details } = Object(Object(refused.json).details)
      assert.deepStrictEqual(details, {
        code: "RATE_LIMITED",
        scope: "account",
        limit: 4 * 1024 * 1024,
        window: 10
      })
      assert.isAtMost(retryAfter, 3)
      assert.strictEqual(refused.headers["retry-after"], String(retryAfter))
      assert.strictEqual((yield* post(text)).status, 200)
    })
  )

  it.effect("are not cached", () =>
    Effect.gen(function* () {
      const { headers } = yield* estimate("sandbox/slow", { seconds: 1 })
      assert.strictEqual(headers["cache-control"], "no-store")
      const list = yield* get("/pricing")
      assert.match(list.headers["cache-control"] ?? "", /^public, max-age=\d+/)
    })
  )
})

const rate = { requests: 2, windowSeconds: 86_400 }

layer(TestServer.layer().pipe(Layer.provide(Layer.succeed(AnonymousRate, rate))), {
  excludeTestServices: true
})("estimates", (it) => {
  it.effect("without a key are limited per node, and with one per key", () =>
    Effect.gen(function* () {
      const { key } = yield* TestServer.TestServer
      const text = JSON.stringify({ modelEndpoint: "sandbox/slow", input: { seconds: 1 } })
      const ask = (authorization: string) => post(text, { ...jsonHeaders, authorization })
      assert.strictEqual((yield* post(text)).status, 200)
      assert.strictEqual((yield* ask("Key no:key")).status, 200)
      for (const reply of [yield* post(text), yield* ask("Key no:key"), yield* post("no JSON")]) {
        assertEnvelope(reply, 429)
        const { retryAfter, ...details } = Object(Object(reply.json).details)
        assert.deepStrictEqual(details, { code: "RATE_LIMITED", scope: "node", limit: 2, window: 86_400 })
        assert.strictEqual(reply.headers["retry-after"], String(retryAfter))
        assert.match(String(reply.headers["ratelimit"]), /^"node";r=0;t=\d+$/)
        assert.strictEqual(reply.headers["access-control-allow-origin"], "*")
      }
      for (const _ of [1, 2, 3]) assert.strictEqual((yield* ask(key)).status, 200)

      const authorization = yield* TestServer.openAccount("estimating")
      yield* GrantedKeys.limit("estimating", { keyRate: { requests: 1, windowSeconds: 86_400 } })
      assert.strictEqual((yield* ask(authorization)).status, 200)
      const refused = yield* ask(authorization)
      assertEnvelope(refused, 429)
      assert.strictEqual(Object(Object(refused.json).details).scope, "key")
    })
  )
})
