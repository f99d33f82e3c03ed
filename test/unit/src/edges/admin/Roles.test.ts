/** Every route × every role, the keys of operators, and what is recorded. */
import { assert, describe, layer } from "@effect/vitest"
import { Clock, Effect, Layer } from "effect"
import { allows, Role } from "#domain/operator/Role.ts"
import * as AdminApi from "#src/edges/admin/AdminApi.ts"
import { Administration } from "#src/edges/admin/Administration.ts"
import type { Any } from "#src/edges/admin/Operation.ts"
import { call, layer as served, operator } from "#test/support/src/edges/admin/AdminHttp.ts"
import { quiet } from "#test/support/src/edges/admin/AdministrationLayers.ts"

const nobody = "acc_0000000000000000"

/** A call whose target does not exist, so that no role changes anything. */
const values: Readonly<Record<string, string>> = {
  accountId: nobody,
  keyId: "nobody",
  operatorId: "op_0000000000000000",
  requestId: "rq000000000000000000_"
}

const pathOf = ({ path }: Any): string =>
  `/admin/v1${path.replace(/:(\w+)/g, (_, name: string) => values[name] ?? "none")}`

const sent = ({ method }: Any) =>
  method === "GET" || method === "DELETE" ? { method } : { method, body: {} }

const actionsOf = (operatorId: string) =>
  Effect.flatMap(Administration, ({ listActions }) => listActions({ operatorId, after: null }))

layer(Layer.provide(served, quiet))("Administration over HTTP", (it) => {
  it.effect("refuses every route without a key, and each role what it may not", () =>
    Effect.gen(function* () {
      const keys = yield* Effect.forEach(Role.literals, (role) =>
        Effect.map(operator(role), ({ key }) => ({ role, key }))
      )
      for (const operation of AdminApi.operations) {
        const path = pathOf(operation)
        const without = yield* call(path, sent(operation))
        assert.strictEqual(without.status, 401, operation.name)
        assert.isString(without.json.request_id)
        for (const { key, role } of keys) {
          const { json, status } = yield* call(path, { ...sent(operation), key })
          const code = json?.details?.code ?? null
          const about = `${role} ${operation.name}: ${status} ${code}`
          if (allows(role, operation.role)) {
            assert.notInclude([401, 403, 405, 500], status, about)
          } else {
            assert.deepStrictEqual([status, code], [403, "ROLE_REQUIRED"], about)
          }
        }
      }
    })
  )

  it.effect("requires the owner for money, credit, payloads and other operators", () =>
    Effect.gen(function* () {
      const { key } = yield* operator("operator")
      const refused = [
        ["/admin/v1/accounts", { method: "POST", body: { name: "acme", balance: "1" } }],
        [`/admin/v1/accounts/${nobody}/limits`, { method: "PATCH", body: { creditLimit: "1" } }],
        [`/admin/v1/accounts/${nobody}/payments`, { method: "POST", body: { amount: "1", paymentId: "p" } }],
        [`/admin/v1/requests/${values["requestId"]}?withPayloads=true`, {}],
        ["/admin/v1/operators", { method: "POST", body: { name: "eve", role: "owner" } }]
      ] as const
      for (const [path, options] of refused) {
        const { json, status } = yield* call(path, { ...options, key })
        assert.deepStrictEqual([status, json.details], [403, { code: "ROLE_REQUIRED", role: "owner" }], path)
      }
      const { json, status } = yield* call("/admin/v1/accounts", {
        method: "POST",
        body: { name: "acme" },
        key
      })
      assert.strictEqual(status, 200, JSON.stringify(json))
      assert.match(json.key, /^key_[^:]+:/)
    })
  )

  it.effect("lists accounts with amounts in USD and times as text, page by page", () =>
    Effect.gen(function* () {
      const { key } = yield* operator("owner")
      for (const name of ["one", "two"]) {
        yield* call("/admin/v1/accounts", { method: "POST", body: { name, balance: "2.5" }, key })
      }
      const { json } = yield* call("/admin/v1/accounts?limit=1", { key })
      assert.strictEqual(json.data.length, 1)
      const rest = yield* call(`/admin/v1/accounts?after=${json.next}`, { key })
      const all = [...json.data, ...rest.json.data]
      assert.isNull(rest.json.next)
      const two = all.find(({ name }: { name: string }) => name === "two")
      assert.deepInclude(two, { balance: "2.5", available: "2.5", creditLimit: "0", erasedAt: null })
      assert.match(two.openedAt, /^\d{4}-\d\d-\d\dT/)
    })
  )

  it.effect("names wrong fields and parameters without repeating them", () =>
    Effect.gen(function* () {
      const { key } = yield* operator("owner")
      const wrong = yield* call("/admin/v1/operators", {
        method: "POST",
        body: { name: "x", role: "s3cret", more: "s3cret" },
        key
      })
      assert.strictEqual(wrong.status, 400)
      assert.sameDeepMembers(
        wrong.json.error.map(({ path }: { path: Array<string> }) => path),
        [["role"], ["more"]]
      )
      const limit = yield* call("/admin/v1/accounts?limit=0&after=s3cret", { key })
      assert.deepStrictEqual([limit.status, limit.json.error[0].path], [400, ["limit"]])
      const unknown = yield* call("/admin/v1/accounts?page=1", { key })
      assert.deepStrictEqual([unknown.status, unknown.json.error[0].path], [400, ["page"]])
      const amount = yield* call(`/admin/v1/accounts/${nobody}/payments`, {
        method: "POST",
        body: { amount: "s3cret", paymentId: "p" },
        key
      })
      assert.deepStrictEqual([amount.status, amount.json.error[0].path], [400, ["amount"]])
      const large = yield* call("/admin/v1/catalog", { method: "POST", body: "x".repeat(2_000_000), key })
      assert.strictEqual(large.status, 413)
      for (const { text } of [wrong, limit, unknown, amount]) assert.notInclude(text, "s3cret")
    })
  )

  it.effect("admits an operator until its key is rotated, expires or is revoked", () =>
    Effect.gen(function* () {
      const administration = yield* Administration
      const status = (key: string) => Effect.map(call("/admin/v1/self", { key }), ({ status }) => status)
      const now = yield* Clock.currentTimeMillis
      const expired = yield* operator("viewer", now - 1)
      assert.strictEqual(yield* status(expired.key), 401)

      const { key, operatorId } = yield* operator("viewer")
      const self = yield* call("/admin/v1/self", { key })
      assert.deepInclude(self.json, { id: operatorId, name: "viewer", role: "viewer" })
      yield* administration.changeRole({ operatorId, role: "auditor" })
      assert.strictEqual((yield* call("/admin/v1/self", { key })).json.role, "auditor")
      yield* administration.rotateOperator({ operatorId })
      assert.strictEqual(yield* status(key), 401)
      const other = yield* operator("viewer")
      assert.strictEqual(yield* status(other.key), 200)
      yield* administration.revokeOperator({ operatorId: other.operatorId })
      assert.strictEqual(yield* status(other.key), 401)
      const { key: accountKey } = (yield* call("/admin/v1/accounts", {
        method: "POST",
        body: { name: "acme" },
        key: (yield* operator("owner")).key
      })).json
      assert.strictEqual(yield* status(accountKey), 401)
    })
  )

  it.effect("records who changed what, with the call, and no secrets", () =>
    Effect.gen(function* () {
      const { key, operatorId } = yield* operator("owner")
      const made = yield* call("/admin/v1/operators", {
        method: "POST",
        body: { name: "eve", role: "viewer" },
        key
      })
      const unknown = yield* call("/admin/v1/keys/nobody", { method: "DELETE", key })
      assert.deepStrictEqual([unknown.status, unknown.json.details.code], [404, "KEY_NOT_FOUND"])
      yield* call("/admin/v1/operators", { key })

      const { data } = yield* actionsOf(operatorId)
      assert.strictEqual(data.length, 2, "reads are not recorded")
      const [revoke, create] = data
      assert.deepInclude(revoke, {
        action: "revokeKey",
        targets: { keyId: "nobody" },
        result: "refused",
        code: "KeyNotFound",
        callId: unknown.json.request_id
      })
      assert.deepInclude(create, {
        operatorName: "owner",
        role: "owner",
        action: "createOperator",
        targets: { name: "eve", role: "viewer" },
        made: { operatorId: made.json.operatorId },
        result: "done",
        callId: made.headers.get("x-request-id")
      })
      const secret = made.json.key.split(":")[1]
      const served = yield* call(`/admin/v1/actions?operatorId=${operatorId}&limit=1`, { key })
      assert.deepStrictEqual(served.json.data.length, 1)
      assert.isNotNull(served.json.next)
      assert.notInclude(served.text + JSON.stringify(data), secret)
    })
  )
})

describe("The last owner", () => {
  layer(Layer.provide(served, quiet))((it) => {
    it.effect("cannot end itself over HTTP, and can on the host", () =>
      Effect.gen(function* () {
        const administration = yield* Administration
        const { key, operatorId } = yield* operator("owner")
        yield* operator("owner", (yield* Clock.currentTimeMillis) - 1)
        const path = `/admin/v1/operators/${operatorId}`
        for (const sent of [
          { method: "DELETE", key },
          { method: "PATCH", body: { role: "viewer" }, key }
        ]) {
          const { json, status } = yield* call(path, sent)
          assert.deepStrictEqual([status, json.details.code], [409, "LAST_OWNER"])
        }
        const second = yield* operator("owner")
        assert.strictEqual((yield* call(path, { method: "DELETE", key })).status, 204)
        assert.strictEqual((yield* call(path, { key: second.key, method: "DELETE" })).status, 204)
        yield* administration.revokeOperator({ operatorId: second.operatorId })
        assert.strictEqual((yield* call("/admin/v1/self", { key: second.key })).status, 401)
      })
    )

    it.effect("is admitted while wrong keys from its address are refused", () =>
      Effect.gen(function* () {
        const { key } = yield* operator("viewer")
        const wrong = yield* Effect.forEach(Array.from({ length: 12 }), () =>
          Effect.map(call("/admin/v1/self", { key: `${key}x` }), ({ status }) => status)
        )
        assert.strictEqual(wrong[0], 401)
        assert.strictEqual(wrong.at(-1), 429)
        assert.strictEqual((yield* call("/admin/v1/self", { key })).status, 200)
        const refused = yield* call("/admin/v1/self", { key: "op_0000000000000000:x" })
        assert.isAtLeast(Number(refused.headers.get("retry-after")), 1)
        assert.strictEqual((yield* call("/admin/v1/self")).status, 401)
      })
    )
  })
})
