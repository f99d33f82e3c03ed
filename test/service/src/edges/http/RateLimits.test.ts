/** Rates of accounts and their keys, as clients see them (decisions, "429 body"). */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { type Reply, send } from "#test/support/HttpProbe.ts"
import * as TestServer from "#test/support/TestServer.ts"
import * as TwoWays from "#test/support/TwoWays.ts"
import { accepted, assertEnvelope, call, jsonHeaders, submit } from "#test/support/src/edges/http/Calls.ts"
import * as GrantedKeys from "#test/support/src/edges/http/GrantedKeys.ts"

/** A window so long that no bucket refills during a test. */
const aDay = (requests: number) => ({ requests, windowSeconds: 86_400 })

const fieldsOf = ({ headers }: Reply) => [headers["ratelimit-policy"], headers["ratelimit"]]

const detailsOf = ({ json }: Reply) => Object(Reflect.get(Object(json), "details"))

/** The header of the first key of a new account with these limits. */
const open = Effect.fnUntraced(function* (name: string, limits: Parameters<typeof GrantedKeys.limit>[1]) {
  const authorization = yield* TestServer.openAccount(name)
  yield* GrantedKeys.limit(name, limits)
  return { authorization }
})

/** A refusal by an empty bucket that refills in `seconds`. */
const assertRefused = (reply: Reply, expected: { scope: string; limit: number; seconds: number }) => {
  assertEnvelope(reply, 429)
  const { retryAfter, ...details } = detailsOf(reply)
  const { limit, scope, seconds } = expected
  assert.deepStrictEqual(details, { code: "RATE_LIMITED", scope, limit, window: 86_400 })
  assert.isAtMost(retryAfter, seconds)
  assert.isAtLeast(retryAfter, seconds - 60)
  assert.strictEqual(reply.headers["retry-after"], String(retryAfter))
  assert.include(reply.headers["ratelimit"], `"${scope}";r=0;t=${retryAfter}`)
}

const health = (headers: Readonly<Record<string, string>>) => call({ path: "/health", headers })
const files = (headers: Readonly<Record<string, string>>) => call({ path: "/files", headers })

layer(TestServer.layer({ queued: () => 1_000_000 }), { excludeTestServices: true })("rate limits", (it) => {
  it.effect("do not apply or appear unless an operator sets them", () =>
    Effect.gen(function* () {
      for (const reply of [yield* files({}), yield* submit({ value: 1 }), yield* submit({})]) {
        assert.deepStrictEqual(fieldsOf(reply), [undefined, undefined])
      }
    })
  )

  it.effect("are reported with every answer to a call with a key, whatever its status", () =>
    Effect.gen(function* () {
      const key = yield* open("told", { accountRate: aDay(10), keyRate: aDay(8) })
      const path = `/sandbox/echo/requests/${Reflect.get(Object((yield* submit({ value: 1 }, key)).json), "request_id")}`
      const first = yield* call({ path: `${path}/status`, headers: key })
      const known = { ...key, "if-none-match": String(first.headers.etag) }
      const replies = [
        first,
        yield* call({ path: `${path}/status`, headers: known }),
        yield* call({ path, headers: key }),
        yield* call({ path: "/sandbox/echo/requests/rq0000000000000000000", headers: key }),
        yield* files(key),
        yield* call({ path: "/files?page=0", headers: key })
      ]
      assert.deepStrictEqual(
        replies.map(({ status }) => status),
        [200, 304, 400, 404, 200, 400]
      )
      for (const [index, reply] of replies.entries()) {
        const [account, one] = [8 - index, 6 - index]
        assert.deepStrictEqual(fieldsOf(reply), [
          '"account";q=10;w=86400, "key";q=8;w=86400',
          `"account";r=${account};t=${account * 8640}, "key";r=${one};t=${one * 10_800}`
        ])
      }
    })
  )

  it.effect("are reported next to the limits of the queue and of open requests", () =>
    Effect.gen(function* () {
      const key = yield* open("beside", { accountRate: aDay(10), maxOpenRequests: 0 })
      const queue = yield* submit({ image: "data:image/png;base64,AAAA" }, key, "vision/ocr")
      assertEnvelope(queue, 429)
      assert.deepInclude(detailsOf(queue), { scope: "model", retryAfter: 5, window: null })
      const most = detailsOf(queue).limit
      assert.isAbove(most, 0)
      assert.deepStrictEqual(fieldsOf(queue), [
        `"account";q=10;w=86400, "model-queue";q=${most};qu="concurrent-requests"`,
        '"account";r=9;t=77760, "model-queue";r=0;t=5'
      ])
      const opened = yield* submit({ value: 1 }, key)
      assertEnvelope(opened, 429)
      assert.deepStrictEqual(detailsOf(opened), {
        code: "RATE_LIMITED",
        retryAfter: 5,
        scope: "account",
        limit: 0,
        window: null
      })
      assert.deepStrictEqual(fieldsOf(opened), [
        '"account";q=10;w=86400, "open-requests";q=0;qu="concurrent-requests"',
        '"account";r=8;t=69120, "open-requests";r=0;t=5'
      ])
    })
  )

  it.effect("reject a key that calls too often, without counting against the account", () =>
    Effect.gen(function* () {
      const key = yield* open("often", { accountRate: aDay(4), keyRate: aDay(2) })
      assert.strictEqual((yield* files(key)).status, 200)
      assert.strictEqual((yield* submit({ value: 1 }, key)).status, 200)
      for (const reply of [yield* files(key), yield* submit({ value: 2 }, key)]) {
        assertRefused(reply, { scope: "key", limit: 2, seconds: 43_200 })
        assert.match(String(reply.headers["ratelimit"]), /^"account";r=2;t=43200, "key";/)
      }
      const other = yield* GrantedKeys.issue({}, "often")
      assert.strictEqual((yield* files(other)).status, 200)
      const last = yield* files(other)
      assert.strictEqual(last.status, 200)
      assert.match(String(last.headers["ratelimit"]), /^"account";r=0;t=2\d{4}, "key";r=0;t=4\d{4}$/)
      const third = yield* GrantedKeys.issue({}, "often")
      assertRefused(yield* files(third), { scope: "account", limit: 4, seconds: 21_600 })
    })
  )

  it.effect("are checked after the key and before its scopes, the query and the body", () =>
    Effect.gen(function* () {
      yield* open("order", { keyRate: aDay(1) })
      const key = yield* GrantedKeys.issue({ scopes: ["files:read"] }, "order")
      const scoped = yield* submit({ value: 1 }, key)
      assertEnvelope(scoped, 403)
      assert.deepStrictEqual(fieldsOf(scoped), ['"key";q=1;w=86400', '"key";r=0;t=86400'])
      const announced = { ...key, ...jsonHeaders, "content-length": "1000000" }
      for (const reply of [
        yield* submit({ value: 1 }, key),
        yield* call({ path: "/files?page=0", headers: key }),
        yield* call({ method: "POST", path: "/sandbox/echo", headers: announced })
      ]) {
        assertRefused(reply, { scope: "key", limit: 1, seconds: 86_400 })
      }
      const wrong = yield* files({ authorization: `${key.authorization}x` })
      assertEnvelope(wrong, 401)
      assert.deepStrictEqual(fieldsOf(wrong), [undefined, undefined])
    })
  )

  it.effect("apply as soon as they are changed, to calls with a key only", () =>
    Effect.gen(function* () {
      const key = yield* open("changed", { keyRate: aDay(1) })
      assert.strictEqual((yield* files(key)).status, 200)
      assert.strictEqual((yield* files(key)).status, 429)
      assert.strictEqual((yield* health(key)).status, 200)
      assert.strictEqual((yield* call({ path: "/nowhere", headers: key })).status, 404)
      yield* GrantedKeys.limit("changed", { keyRate: null })
      assert.deepStrictEqual(fieldsOf(yield* files(key)), [undefined, undefined])
      yield* GrantedKeys.limit("changed", { keyRate: { requests: 1_000_000, windowSeconds: 1 } })
      assert.strictEqual((yield* files(key)).status, 200)
      yield* GrantedKeys.limit("changed", { keyRate: aDay(1), accountRate: aDay(5) })
      assert.match(String((yield* files(key)).headers["ratelimit"]), /^"account";r=4;t=69120, "key";/)
    })
  )
})

layer(TwoWays.layer(), { excludeTestServices: true })("rate limits on the hot routes", (it) => {
  const withoutOwn = ({ rawHeaders }: Reply) =>
    rawHeaders.filter((_, index) => !["Date", "x-request-id"].includes(rawHeaders[index - (index % 2)] ?? ""))

  it.effect("are the same on both paths", () =>
    Effect.gen(function* () {
      const ports = yield* TwoWays.TwoWays
      yield* GrantedKeys.limit("alpha", { accountRate: aDay(200_000), keyRate: aDay(6) })
      const id = yield* accepted()
      const path = `/sandbox/echo/requests/${id}`
      const post = { method: "POST", path: "/sandbox/echo" }
      const probes = [
        [200, { path: `${path}/status` }, {}],
        [304, { path: `${path}/status` }, { "if-none-match": "*" }],
        [400, { path }, {}],
        [404, { path: path.replace("echo", "slow") }, {}],
        [400, { ...post, body: "{}" }, jsonHeaders],
        [415, { ...post, body: "{}" }, {}],
        [429, { path }, {}],
        [429, { ...post, body: "{}" }, jsonHeaders]
      ] as const
      const [one, two] = [yield* GrantedKeys.issue(), yield* GrantedKeys.issue()]
      const keyOnly = (text: string) => text.replaceAll(/"account";r=\d+;t=\d+, /g, "")
      for (const [status, probe, headers] of probes) {
        const declared = yield* send(ports.declared, { ...probe, headers: { ...one, ...headers } })
        const fast = yield* send(ports.fast, { ...probe, headers: { ...two, ...headers } })
        assert.deepStrictEqual([declared.status, fast.status], [status, status])
        assert.match(String(fast.headers["ratelimit"]), /^"account";.*, "key";/)
        if (status === 429) continue
        assert.deepStrictEqual(withoutOwn(fast).map(keyOnly), withoutOwn(declared).map(keyOnly))
      }
    })
  )

  it.effect("count calls on both paths together", () =>
    Effect.gen(function* () {
      const ports = yield* TwoWays.TwoWays
      const headers = yield* open("both", { keyRate: aDay(2) })
      const probe = { path: "/sandbox/echo/requests/rq0000000000000000000", headers }
      assert.strictEqual((yield* send(ports.declared, probe)).status, 404)
      assert.strictEqual((yield* send(ports.fast, probe)).status, 404)
      assert.strictEqual((yield* send(ports.declared, probe)).status, 429)
      assert.strictEqual((yield* send(ports.fast, probe)).status, 429)
    })
  )
})
