/** The key routes of an account. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { Scope } from "#domain/account/Grant.ts"
import { AccountId, KeyId } from "#domain/Ids.ts"
import { KeyRing } from "#src/features/accounts/KeyRing.ts"
import * as KeyLog from "#test/support/projections/keys/KeyLog.ts"
import * as Callers from "#test/support/Callers.ts"
import * as TestServer from "#test/support/TestServer.ts"
import { assertEnvelope, call, issuesOf, jsonHeaders, submit } from "#test/support/src/edges/http/Calls.ts"
import * as Keys from "#test/support/src/edges/http/KeyCalls.ts"

const future = "2100-01-01T00:00:00.000Z"

layer(TestServer.layer(), { excludeTestServices: true })("the keys of an account", (it) => {
  it.effect("are created as requested, and shown once", () =>
    Effect.gen(function* () {
      const headers = yield* Keys.account("creating")
      const earliest = Date.now()
      const { key, ...record } = yield* Keys.created(headers, {
        name: "ci",
        scopes: ["keys:admin", "requests:write"],
        modelEndpoints: ["vision/ocr", "someone/to-come"],
        monthlyBudget: "25.50",
        expiresAt: "2100-01-01T01:00:00+01:00"
      })
      const [id = "", secret = ""] = key.split(":")
      assert.match(secret, /^[\w-]{43}$/)
      assert.isAtLeast(Date.parse(record.createdAt), earliest)
      assert.deepStrictEqual(record, {
        id,
        name: "ci",
        prefix: `${id}:`,
        scopes: ["requests:write", "keys:admin"],
        modelEndpoints: ["vision/ocr", "someone/to-come"],
        monthlyBudget: "25.5",
        origins: null,
        createdAt: record.createdAt,
        lastUsedAt: null,
        expiresAt: future,
        rotatedAt: null,
        revokedAt: null
      })
      const looks = [yield* Keys.get(headers, record.id), yield* Keys.list(headers)] as const
      for (const { text } of looks) assert.notInclude(text, secret)
      assert.deepStrictEqual(Keys.recordOf(looks[0]), record)
      assert.deepInclude(Keys.listOf(looks[1]).data, record)
      assert.strictEqual(yield* Keys.statusOf(Keys.headersOf({ key })), 200)
    })
  )

  it.effect("inherit the grants of the creating key unless others are given", () =>
    Effect.gen(function* () {
      const root = yield* Keys.account("defaults")
      const whole = yield* Keys.created(root)
      assert.deepInclude(whole, {
        scopes: [...Scope.literals],
        modelEndpoints: null,
        monthlyBudget: null,
        origins: null,
        expiresAt: null
      })
      const limits = {
        scopes: ["requests:read", "keys:admin"],
        modelEndpoints: ["sandbox/echo"],
        monthlyBudget: "1",
        origins: ["https://app.example"],
        expiresAt: future
      }
      const limited = yield* Keys.created(root, limits)
      const child = yield* Keys.created(Keys.headersOf(limited))
      assert.deepInclude(child, limits)
      const { scopes } = yield* Keys.created(Keys.headersOf(child), { scopes: ["keys:admin"] })
      assert.deepStrictEqual(scopes, ["keys:admin"])
    })
  )

  it.effect("are listed newest first, including revoked ones, page by page", () =>
    Effect.gen(function* () {
      const headers = yield* Keys.account("listing")
      const made = yield* Effect.forEach(["a", "b", "c", "d"], (name) => Keys.created(headers, { name }))
      const [, b] = made
      assert.strictEqual((yield* Keys.revoke(headers, b?.id ?? "")).status, 204)
      const whole = Keys.listOf(yield* Keys.list(headers))
      assert.deepInclude(whole, { page: 1, limit: 20, total: 5, totalPages: 1, next: null })
      const times = whole.data.map(({ createdAt }) => createdAt)
      assert.deepStrictEqual(times, times.toSorted().toReversed())
      assert.sameMembers(
        whole.data.map(({ id }) => id),
        ["listing", ...made.map(({ id }) => id)]
      )
      assert.deepStrictEqual(
        whole.data.filter(({ revokedAt }) => revokedAt !== null).map(({ name }) => name),
        ["b"]
      )
      const first = Keys.listOf(yield* Keys.list(headers, "?limit=3"))
      const behind = Keys.listOf(yield* Keys.list(headers, `?limit=3&cursor=${first.next}`))
      assert.deepStrictEqual([...first.data, ...behind.data], whole.data)
      assert.deepInclude(behind, { page: 2, totalPages: 2, next: null })
      const second = Keys.listOf(yield* Keys.list(headers, "?limit=3&page=2"))
      assert.deepStrictEqual(second.data, behind.data)
      assert.deepStrictEqual(issuesOf(yield* Keys.list(headers, "?limit=0&page=x")), [
        ["page", "range"],
        ["limit", "range"]
      ])
    })
  )

  it.effect("are listed with everything recorded before the call", () =>
    Effect.gen(function* () {
      // More than a batch of the read model. Not over HTTP, because the read model would catch up meanwhile.
      const accountId = AccountId.make("acc_00000000000waits")
      const ids = Array.from({ length: 3_000 }, (_, index) => `k${index}`)
      const { list } = yield* KeyRing
      yield* KeyLog.append(accountId, KeyLog.opened(accountId, "waits", 0))
      yield* KeyLog.append(accountId, KeyLog.issued("k", 0), ...ids.map((id) => KeyLog.issued(id, 1)))
      const caller = Callers.of(accountId, KeyId.make("k"))
      const { total } = yield* list({ caller, page: 1, after: null, limit: 10 })
      assert.strictEqual(total, ids.length + 1)
    })
  )

  it.effect("are revoked at once, on both paths to a route, also by themselves", () =>
    Effect.gen(function* () {
      const headers = yield* Keys.account("revoking")
      const key = yield* Keys.created(headers)
      const own = Keys.headersOf(key)
      assert.strictEqual((yield* submit({ value: 1 }, own)).status, 200)
      assert.strictEqual((yield* Keys.revoke(headers, key.id)).status, 204)
      assertEnvelope(yield* submit({ value: 1 }, own), 401)
      assertEnvelope(yield* Keys.list(own), 401)
      const { revokedAt } = Keys.recordOf(yield* Keys.get(headers, key.id))
      assert.isNotNull(revokedAt)
      assert.strictEqual((yield* Keys.revoke(headers, key.id)).status, 204)
      assert.deepInclude(Keys.recordOf(yield* Keys.get(headers, key.id)), { revokedAt })

      const suicidal = yield* Keys.created(headers)
      assert.strictEqual((yield* Keys.revoke(Keys.headersOf(suicidal), suicidal.id)).status, 204)
      assertEnvelope(yield* Keys.revoke(Keys.headersOf(suicidal), suicidal.id), 401)
    })
  )

  it.effect("are rotated under the same id: a new secret at once, the old one for a day", () =>
    Effect.gen(function* () {
      const headers = yield* Keys.account("rotating")
      const { key: before, ...record } = yield* Keys.created(headers, { name: "ci", monthlyBudget: "3" })
      const earliest = Date.now()
      const rotated = Keys.rotatedOf(yield* Keys.rotate(headers, record.id))
      const { key, previousKeyExpiresAt, rotatedAt, ...same } = rotated
      const { rotatedAt: never, ...expected } = record
      assert.isNull(never)
      assert.deepStrictEqual(same, expected)
      assert.notStrictEqual(key, before)
      assert.isTrue(key.startsWith(record.prefix))
      assert.isAtLeast(Date.parse(String(rotatedAt)), earliest)
      const expiry = Date.parse(String(previousKeyExpiresAt))
      assert.strictEqual(expiry, Date.parse(String(rotatedAt)) + 86_400_000)
      for (const good of [before, key]) {
        assert.strictEqual(yield* Keys.statusOf(Keys.headersOf({ key: good })), 200)
      }
      const again = yield* Keys.rotate(Keys.headersOf({ key }), record.id, { gracePeriodSeconds: 0 })
      assert.isNull(Keys.rotatedOf(again).previousKeyExpiresAt)
      for (const bad of [before, key]) {
        assert.strictEqual(yield* Keys.statusOf(Keys.headersOf({ key: bad })), 401)
      }
      assert.strictEqual(yield* Keys.statusOf(Keys.headersOf(Keys.rotatedOf(again))), 200)
    })
  )

  it.effect("are not rotated once they are revoked", () =>
    Effect.gen(function* () {
      const headers = yield* Keys.account("too-late")
      const { id } = yield* Keys.created(headers)
      yield* Keys.revoke(headers, id)
      const reply = yield* Keys.rotate(headers, id)
      assertEnvelope(reply, 409)
      assert.deepInclude(reply.json, { details: { code: "KEY_REVOKED" } })
    })
  )

  it.effect("have the time of their last use, by either path", () =>
    Effect.gen(function* () {
      const headers = yield* Keys.account("using")
      const key = yield* Keys.created(headers)
      const used = Effect.map(Keys.get(headers, key.id), (reply) => Keys.recordOf(reply).lastUsedAt)
      assert.isNull(yield* used)
      const earliest = Date.now()
      yield* Keys.list(Keys.headersOf(key))
      const lastUsedAt = Date.parse(String(yield* used))
      assert.isAbove(lastUsedAt, earliest - 60_000)
      assert.strictEqual(lastUsedAt % 60_000, 0)
      const { data } = Keys.listOf(yield* Keys.list(headers))
      assert.strictEqual(data.find(({ id }) => id === key.id)?.lastUsedAt, yield* used)
    })
  )

  it.effect("of another account are 403, and unknown keys are 404, for every call", () =>
    Effect.gen(function* () {
      const mine = yield* Keys.account("mine")
      const theirs = yield* Keys.account("theirs")
      const { id, key } = yield* Keys.created(theirs)
      const ways = [Keys.get, Keys.revoke, (headers: Keys.Headers, id: string) => Keys.rotate(headers, id)]
      for (const way of ways) {
        for (const other of [id, "theirs"]) assertEnvelope(yield* way(mine, other), 403)
        for (const none of ["nobody", `${id.slice(0, -1)}-`, "__proto__", "%00", "k".repeat(200)]) {
          assertEnvelope(yield* way(mine, none), 404)
        }
      }
      assert.strictEqual(yield* Keys.statusOf(Keys.headersOf({ key })), 200)
      assert.strictEqual(Keys.listOf(yield* Keys.list(mine)).total, 1)
    })
  )

  it.effect.each([
    [{}, "", "required"],
    [{ name: "" }, "name", "name"],
    [{ name: "a\u0000b" }, "name", "name"],
    [{ name: "n".repeat(101) }, "name", "name"],
    [{ name: 7 }, "name", "type"],
    [{ name: "a", scopes: [] }, "scopes", "minItems"],
    [{ name: "a", scopes: null }, "scopes", "type"],
    [{ name: "a", scopes: ["requests:*"] }, "scopes.0", "enum"],
    [{ name: "a", scopes: ["keys:admin", "keys:admin"] }, "scopes", "uniqueItems"],
    [{ name: "a", modelEndpoints: [] }, "modelEndpoints", "minItems"],
    [{ name: "a", modelEndpoints: ["ocr"] }, "modelEndpoints.0", "pattern"],
    [{ name: "a", modelEndpoints: ["a/b", "keys/b"] }, "modelEndpoints.1", "pattern"],
    [{ name: "a", modelEndpoints: ["a/b", "a/b"] }, "modelEndpoints", "uniqueItems"],
    [
      { name: "a", modelEndpoints: Array.from({ length: 21 }, (_, n) => `a/b${n}`) },
      "modelEndpoints",
      "maxItems"
    ],
    [{ name: "a", monthlyBudget: 25 }, "monthlyBudget", "type"],
    [{ name: "a", monthlyBudget: "0" }, "monthlyBudget", "amount"],
    [{ name: "a", monthlyBudget: "-1" }, "monthlyBudget", "amount"],
    [{ name: "a", monthlyBudget: "1e3" }, "monthlyBudget", "amount"],
    [{ name: "a", monthlyBudget: "0.0000000001" }, "monthlyBudget", "amount"],
    [{ name: "a", expiresAt: "2020-01-01T00:00:00Z" }, "expiresAt", "range"],
    [{ name: "a", expiresAt: "tomorrow" }, "expiresAt", "format"],
    [{ name: "a", expiresAt: "2100-01-01" }, "expiresAt", "format"],
    [{ name: "a", scope: ["keys:admin"] }, "scope", "additionalProperties"]
  ] as const)("are not created from %j", ([body, path, code]) =>
    Effect.gen(function* () {
      const reply = yield* Keys.create({}, body)
      assertEnvelope(reply, 400)
      const issues = issuesOf(reply)
      assert.lengthOf(issues, 1, reply.text)
      assert.include(String(issues[0]?.[0]), path.split(".")[0] ?? "")
      assert.strictEqual(issues[0]?.[1], code, reply.text)
    })
  )

  it.effect.each([-1, 604_801, 1.5, "3600", null])(
    "are not rotated with a grace of %j",
    (gracePeriodSeconds) =>
      Effect.gen(function* () {
        const { id } = yield* Keys.created({})
        const reply = yield* Keys.rotate({}, id, { gracePeriodSeconds })
        assertEnvelope(reply, 400)
        assert.deepStrictEqual(
          issuesOf(reply).map(([path]) => path),
          ["gracePeriodSeconds"]
        )
        assert.isNull(Keys.recordOf(yield* Keys.get({}, id)).rotatedAt)
      })
  )

  it.effect("accept only JSON bodies", () =>
    Effect.gen(function* () {
      const { id } = yield* Keys.created({})
      const body = "name=ci"
      const headers = { "content-type": "application/x-www-form-urlencoded" }
      assertEnvelope(yield* call({ method: "POST", path: "/keys", headers, body }), 415)
      assertEnvelope(yield* call({ method: "POST", path: `/keys/${id}/rotate`, headers, body }), 415)
      const broken = { method: "POST", headers: jsonHeaders, body: "{" }
      assertEnvelope(yield* call({ ...broken, path: "/keys" }), 400)
      assertEnvelope(yield* call({ ...broken, path: `/keys/${id}/rotate` }), 400)
    })
  )
})
