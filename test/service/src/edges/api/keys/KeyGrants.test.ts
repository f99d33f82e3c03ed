/** No key gains rights through another key, or keeps any after it has expired. */
import { assert, describe, it, layer } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import type { Reply } from "#test/support/HttpProbe.ts"
import * as TestServer from "#test/support/TestServer.ts"
import { assertEnvelope, submit } from "#test/support/src/edges/http/Calls.ts"
import * as Keys from "#test/support/src/edges/http/KeyCalls.ts"

const limits = {
  scopes: ["requests:write", "keys:admin"],
  modelEndpoints: ["sandbox/echo"],
  monthlyBudget: "5",
  expiresAt: "2100-01-01T00:00:00.000Z"
}

const assertExceeded = (reply: Reply, ...fields: ReadonlyArray<string>) => {
  assertEnvelope(reply, 403)
  assert.deepInclude(reply.json, { details: { code: "GRANT_EXCEEDED", fields } })
}

const countOf = (headers: Keys.Headers) => Effect.map(Keys.list(headers), (reply) => Keys.listOf(reply).total)

layer(TestServer.layer(), { excludeTestServices: true })("a limited key", (it) => {
  it.effect("creates no key with more rights than its own, by any parameter", () =>
    Effect.gen(function* () {
      const root = yield* Keys.account("wider")
      const own = Keys.headersOf(yield* Keys.created(root, limits))
      const before = yield* countOf(own)
      const attempts = [
        ["scopes", { scopes: ["requests:write", "requests:read"] }],
        ["scopes", { scopes: ["billing:read"] }],
        ["modelEndpoints", { modelEndpoints: ["sandbox/echo", "vision/ocr"] }],
        ["modelEndpoints", { modelEndpoints: null }],
        ["monthlyBudget", { monthlyBudget: "5.000000001" }],
        ["monthlyBudget", { monthlyBudget: null }],
        ["expiresAt", { expiresAt: "2100-01-01T00:00:00.001Z" }],
        ["expiresAt", { expiresAt: null }]
      ] as const
      for (const [field, body] of attempts) {
        assertExceeded(yield* Keys.create(own, { name: "wider", ...body }), field)
      }
      const everything = { modelEndpoints: null, monthlyBudget: null, expiresAt: null }
      assertExceeded(
        yield* Keys.create(own, { name: "all", ...everything }),
        "modelEndpoints",
        "monthlyBudget",
        "expiresAt"
      )
      assert.strictEqual(yield* countOf(own), before)
    })
  )

  it.effect("creates children with at most its rights, and their children too", () =>
    Effect.gen(function* () {
      const root = yield* Keys.account("children")
      const child = yield* Keys.created(Keys.headersOf(yield* Keys.created(root, limits)))
      assert.deepInclude(child, limits)
      const own = Keys.headersOf(child)
      assertExceeded(yield* Keys.create(own, { name: "wider", monthlyBudget: "6" }), "monthlyBudget")
      const grandchild = yield* Keys.created(own, { scopes: ["requests:write"] })
      const refused = yield* Keys.create(Keys.headersOf(grandchild), { name: "none" })
      assertEnvelope(refused, 403)
      assert.deepInclude(refused.json, { details: { code: "MISSING_SCOPE", scope: "keys:admin" } })
      assertEnvelope(yield* submit({ input: 1 }, Keys.headersOf(grandchild), "vision/ocr"), 403)
    })
  )

  it.effect("cannot rotate a key with more rights to get its secret", () =>
    Effect.gen(function* () {
      const root = yield* Keys.account("stolen")
      const limited = yield* Keys.created(root, limits)
      const own = Keys.headersOf(limited)
      for (const wider of [
        {},
        { ...limits, scopes: [...limits.scopes, "files:read"] },
        { ...limits, modelEndpoints: null },
        { ...limits, monthlyBudget: "6" },
        { ...limits, expiresAt: null }
      ]) {
        const { id, key } = yield* Keys.created(root, wider)
        assert.strictEqual((yield* Keys.rotate(own, id)).status, 403)
        assert.strictEqual((yield* submit({ value: 1 }, Keys.headersOf({ key }))).status, 200)
        assert.isNull(Keys.recordOf(yield* Keys.get(root, id)).rotatedAt)
      }
      assertExceeded(
        yield* Keys.rotate(own, "stolen"),
        "scopes",
        "modelEndpoints",
        "monthlyBudget",
        "expiresAt"
      )
      assert.strictEqual((yield* Keys.rotate(own, limited.id)).status, 200)
    })
  )

  it.effect("cannot read or change keys without the scope", () =>
    Effect.gen(function* () {
      const root = yield* Keys.account("scopeless")
      const key = yield* Keys.created(root, { scopes: ["requests:read", "billing:read"] })
      const own = Keys.headersOf(key)
      const replies = [
        yield* Keys.list(own),
        yield* Keys.get(own, key.id),
        yield* Keys.create(own, { name: "none" }),
        yield* Keys.rotate(own, key.id),
        yield* Keys.revoke(own, key.id),
        yield* Keys.revoke(own, "alpha")
      ]
      for (const reply of replies) {
        assertEnvelope(reply, 403)
        assert.deepInclude(reply.json, { details: { code: "MISSING_SCOPE", scope: "keys:admin" } })
      }
    })
  )

  it.effect("is one of at most 100 valid keys: revoking one allows another", () =>
    Effect.gen(function* () {
      const root = yield* Keys.account("many")
      const keys = yield* Effect.forEach(Array(99).keys(), () => Keys.created(root))
      const refused = yield* Keys.create(root, { name: "one too many" })
      assertEnvelope(refused, 409)
      assert.deepInclude(refused.json, { details: { code: "TOO_MANY_KEYS", limit: 100 } })
      yield* Keys.revoke(root, keys[7]?.id ?? "")
      yield* Keys.created(root)
      assert.strictEqual((yield* Keys.create(root, { name: "again" })).status, 409)
    })
  )
})

describe("the secret before the current one", () => {
  it.effect("opens everything except key management, even of its own key", () =>
    Effect.gen(function* () {
      const root = yield* Keys.account("superseded")
      const { id, key: before } = yield* Keys.created(root)
      const other = yield* Keys.created(root)
      const { key } = Keys.rotatedOf(yield* Keys.rotate(root, id))
      const old = Keys.headersOf({ key: before })
      assert.strictEqual((yield* submit({ value: 1 }, old)).status, 200)
      assert.strictEqual((yield* Keys.get(old, id)).status, 200)
      const refused = [
        yield* Keys.rotate(old, id, { gracePeriodSeconds: 0 }),
        yield* Keys.rotate(old, other.id, { gracePeriodSeconds: 0 }),
        yield* Keys.create(old, { name: "one more" }),
        yield* Keys.revoke(old, id),
        yield* Keys.revoke(old, other.id)
      ]
      for (const reply of refused) {
        assertEnvelope(reply, 403)
        assert.deepInclude(reply.json, { details: { code: "SECRET_SUPERSEDED" } })
      }
      assert.strictEqual(Keys.listOf(yield* Keys.list(root)).total, 3)
      const owner = Keys.headersOf({ key })
      for (const headers of [owner, Keys.headersOf(other)]) {
        assert.strictEqual(yield* Keys.statusOf(headers), 200)
      }
      assert.strictEqual((yield* Keys.create(owner, { name: "one more" })).status, 201)
      const again = Keys.rotatedOf(yield* Keys.rotate(owner, id, { gracePeriodSeconds: 0 }))
      assert.deepStrictEqual(
        yield* Effect.forEach([before, key, again.key], (key) => Keys.statusOf(Keys.headersOf({ key }))),
        [401, 401, 200]
      )
    }).pipe(Effect.provide(TestServer.layer()))
  )
})

describe("an expired key", () => {
  it.effect("is rejected on both paths to a route, and creates no key", () =>
    Effect.gen(function* () {
      const root = yield* Keys.account("expiring")
      const own = Keys.headersOf(yield* Keys.created(root, { expiresAt: "1970-01-01T00:01:00Z" }))
      yield* TestClock.adjust(59_999)
      assert.strictEqual((yield* submit({ value: 1 }, own)).status, 200)
      assert.strictEqual(yield* Keys.statusOf(own), 200)
      yield* TestClock.adjust(1)
      assertEnvelope(yield* submit({ value: 1 }, own), 401)
      assertEnvelope(yield* Keys.list(own), 401)
      assertEnvelope(yield* Keys.create(own, { name: "after" }), 401)
      assert.strictEqual(yield* Keys.statusOf(root), 200)
    }).pipe(Effect.provide(TestServer.layer()))
  )

  it.effect("cannot be rotated, and its previous secret stays valid until its own end", () =>
    Effect.gen(function* () {
      const root = yield* Keys.account("graceful")
      const { id, key: before } = yield* Keys.created(root, { expiresAt: "1970-01-01T01:00:00Z" })
      const { key, previousKeyExpiresAt } = Keys.rotatedOf(
        yield* Keys.rotate(root, id, { gracePeriodSeconds: 60 })
      )
      assert.strictEqual(previousKeyExpiresAt, "1970-01-01T00:01:00.000Z")
      const statuses = Effect.forEach([before, key], (key) => Keys.statusOf(Keys.headersOf({ key })))
      yield* TestClock.adjust(59_999)
      assert.deepStrictEqual(yield* statuses, [200, 200])
      yield* TestClock.adjust(1)
      assert.deepStrictEqual(yield* statuses, [401, 200])
      const last = yield* Keys.rotate(root, id, { gracePeriodSeconds: 604_800 })
      assert.strictEqual(Keys.rotatedOf(last).previousKeyExpiresAt, "1970-01-01T01:00:00.000Z")
      yield* TestClock.adjust(60 * 60_000)
      const reply = yield* Keys.rotate(root, id)
      assertEnvelope(reply, 409)
      assert.deepInclude(reply.json, { details: { code: "KEY_EXPIRED" } })
    }).pipe(Effect.provide(TestServer.layer()))
  )
})
