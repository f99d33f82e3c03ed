/** `GET /account/balance` (decisions, "Platform routes"). */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import * as Lifecycle from "#test/support/Lifecycle.ts"
import { usd } from "#test/support/TestAccounts.ts"
import * as TestServer from "#test/support/TestServer.ts"
import { assertEnvelope, call, submit } from "#test/support/src/edges/http/Calls.ts"
import * as BilledAccount from "#test/support/src/edges/http/BilledAccount.ts"
import * as GrantedKeys from "#test/support/src/edges/http/GrantedKeys.ts"

const path = "/account/balance"

layer(TestServer.layer(), { excludeTestServices: true })("The balance of an account", (it) => {
  it.effect("is zero, without a time, before the first entry", () =>
    Effect.gen(function* () {
      const { get } = yield* BilledAccount.open("without", "0")
      const { headers, json, status } = yield* get(path)
      assert.deepStrictEqual([status, headers["cache-control"]], [200, "no-store"])
      assert.deepStrictEqual(json, {
        balance: "0",
        reserved: "0",
        available: "0",
        creditLimit: "0",
        currency: "USD",
        updatedAt: null
      })
    })
  )

  it.effect("includes holds, decreases by charges, and has the time of the last entry", () =>
    Effect.gen(function* () {
      const { bill, json } = yield* BilledAccount.open("spending")
      yield* bill({ at: Date.UTC(2026, 0, 5), hold: "0.25" }, true)
      assert.deepStrictEqual(yield* json(path), {
        balance: "1",
        reserved: "0.25",
        available: "0.75",
        creditLimit: "0",
        currency: "USD",
        updatedAt: "2026-01-05T00:00:00.000Z"
      })
      yield* bill({ at: Date.UTC(2026, 0, 6), hold: "0.5", cost: "0.1" })
      assert.deepInclude(yield* json(path), {
        balance: "0.9",
        reserved: "0.25",
        available: "0.65",
        updatedAt: "2026-01-06T00:00:00.000Z"
      })
    })
  )

  it.effect("includes every entry that its client has seen", () =>
    Effect.gen(function* () {
      const authorization = yield* TestServer.openAccount("seen", "1")
      for (let round = 1; round <= 5; round++) {
        const { json } = yield* submit({ value: round }, { authorization })
        const held = Object((yield* call({ path, headers: { authorization } })).json)
        assert.deepInclude(held, { balance: String(1 - (round - 1) / 1_000), reserved: "0.001" })
        const { request_id } = Object(json)
        yield* Lifecycle.start(request_id)
        yield* Lifecycle.deliver(request_id, { value: round })
        const charged = Object((yield* call({ path, headers: { authorization } })).json)
        assert.deepInclude(charged, { balance: String(1 - round / 1_000), reserved: "0" })
      }
    })
  )

  it.effect("is negative when credit is used, as a decimal of any size", () =>
    Effect.gen(function* () {
      const { bill, json } = yield* BilledAccount.open("owing", "0")
      yield* bill({ hold: "123456789012.000000001" }, true)
      const available = "-123456789012.000000001"
      assert.deepInclude(yield* json(path), { balance: "0", reserved: available.slice(1), available })
    })
  )

  it.effect("is answered with 401 without a valid key", () =>
    Effect.gen(function* () {
      assertEnvelope(yield* call({ path, headers: { authorization: "Key none:none" } }), 401)
    })
  )

  it.effect("is returned, like usage and billing events, only to keys with the billing scope", () =>
    Effect.gen(function* () {
      yield* TestServer.openAccount("scoped")
      const reads = yield* GrantedKeys.issue({ scopes: ["billing:read"] }, "scoped")
      const writes = yield* GrantedKeys.issue({ scopes: ["requests:write", "requests:read"] }, "scoped")
      for (const asked of [path, "/usage", "/billing/events"]) {
        assert.strictEqual((yield* call({ path: asked, headers: reads })).status, 200)
        const refused = yield* call({ path: asked, headers: { ...writes, accept: "text/csv" } })
        assertEnvelope(refused, 403)
        assert.deepInclude(refused.json, { details: { code: "MISSING_SCOPE", scope: "billing:read" } })
      }
    })
  )

  it.effect("is spent only up to the key's budget, which the rejection reports", () =>
    Effect.gen(function* () {
      yield* TestServer.openAccount("budgeted")
      const key = yield* GrantedKeys.issue({ monthlyBudget: usd("0.0025") }, "budgeted")
      const replies = yield* Effect.forEach([1, 2, 3], (value) => submit({ value }, key))
      assert.deepStrictEqual(
        replies.map(({ status }) => status),
        [200, 200, 402]
      )
      const refused = replies[2] ?? assert.fail()
      assertEnvelope(refused, 402)
      const now = new Date()
      const resetsAt = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1)).toISOString()
      assert.deepInclude(refused.json, {
        error: "The key's budget for this month is spent.",
        details: { code: "BUDGET_EXCEEDED", limit: "0.0025", spent: "0.002", required: "0.001", resetsAt }
      })
      const other = yield* GrantedKeys.issue({}, "budgeted")
      assert.strictEqual((yield* submit({ value: 4 }, other)).status, 200)
    })
  )
})
