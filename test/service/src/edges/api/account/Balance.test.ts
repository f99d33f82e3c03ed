/** The effect of a balance on submits, through the fast path (contract, "Errors": 402). */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import * as Account from "#domain/account/Account.ts"
import type { Command } from "#domain/account/Command.ts"
import { noLimits } from "#domain/account/Limits.ts"
import { KeyId } from "#domain/Ids.ts"
import { AccountActors } from "#src/features/accounts/AccountActors.ts"
import * as ApiKey from "#src/features/accounts/ApiKey.ts"
import { usd } from "#test/support/TestAccounts.ts"
import * as TestServer from "#test/support/TestServer.ts"
import { assertEnvelope, call, jsonHeaders, submit } from "#test/support/src/edges/http/Calls.ts"

const execute = (keyId: string, command: Command) =>
  Effect.flatMap(AccountActors, (actors) =>
    actors.execute(Account.accountOf(KeyId.make(keyId), ApiKey.sha256Hex), command)
  )

const topUp = (keyId: string, amount: string) =>
  execute(keyId, { _tag: "TopUp", at: 0, amount: usd(amount), reference: "test", paymentId: null })

const detailsOf = (json: unknown): unknown => Reflect.get(Object(json), "details")

layer(TestServer.layer(), { excludeTestServices: true })("A balance", (it) => {
  it.effect("for ten requests accepts ten of a thousand concurrent ones", () =>
    Effect.gen(function* () {
      const authorization = yield* TestServer.openAccount("ten", "0.01")
      const replies = yield* Effect.all(
        Array.from({ length: 1_000 }, (_, value) => submit({ value }, { authorization })),
        { concurrency: 500 }
      )
      assert.lengthOf(
        replies.filter(({ status }) => status === 200),
        10
      )
      const refused = replies.filter(({ status }) => status !== 200)
      for (const reply of refused) assertEnvelope(reply, 402)
      assert.lengthOf(refused, 990)
    })
  )

  it.effect("that is too small is reported with the missing amount, and pays after a top-up", () =>
    Effect.gen(function* () {
      const authorization = yield* TestServer.openAccount("small", "0.0005")
      const reply = yield* submit({ value: 1 }, { authorization })
      assertEnvelope(reply, 402)
      assert.deepStrictEqual(detailsOf(reply.json), {
        code: "INSUFFICIENT_BALANCE",
        required: "0.001",
        available: "0.0005"
      })
      yield* topUp("small", "0.0005")
      assert.strictEqual((yield* submit({ value: 1 }, { authorization })).status, 200)
    })
  )

  it.effect("of zero accepts no request whose price rounds to zero; it costs the smallest unit", () =>
    Effect.gen(function* () {
      const poor = { authorization: (yield* TestServer.TestServer).poorKey }
      const authorization = yield* TestServer.openAccount("nano", "0.000000001")
      for (const seconds of [0, 1e-10, 4e-6]) {
        const reply = yield* submit({ seconds }, poor, "sandbox/slow")
        assertEnvelope(reply, 402)
        assert.deepInclude(Object(detailsOf(reply.json)), { required: "0.000000001", available: "0" })
        const estimate = yield* call({
          method: "POST",
          path: "/pricing/estimate",
          headers: jsonHeaders,
          body: JSON.stringify({ modelEndpoint: "sandbox/slow", input: { seconds } })
        })
        assert.deepInclude(Object(estimate.json), {
          estimatedCost: "0.000000001",
          maximumCost: "0.000000001"
        })
      }
      assert.strictEqual((yield* submit({ seconds: 0 }, { authorization }, "sandbox/slow")).status, 200)
      assertEnvelope(yield* submit({ seconds: 0 }, { authorization }, "sandbox/slow"), 402)
    })
  )

  it.effect("is checked after the input has been validated", () =>
    Effect.gen(function* () {
      const { poorKey } = yield* TestServer.TestServer
      assertEnvelope(yield* submit({}, { authorization: poorKey }), 400)
    })
  )

  it.effect("does not raise the limit of open requests", () =>
    Effect.gen(function* () {
      const authorization = yield* TestServer.openAccount("few", "1")
      const limits = { ...noLimits, maxOpenRequests: 1 }
      yield* execute("few", { _tag: "ChangeLimits", at: 0, limits })
      assert.strictEqual((yield* submit({ value: 1 }, { authorization })).status, 200)
      const reply = yield* submit({ value: 2 }, { authorization })
      assertEnvelope(reply, 429)
      assert.strictEqual(reply.headers["retry-after"], "5")
      assert.deepStrictEqual(detailsOf(reply.json), {
        code: "RATE_LIMITED",
        retryAfter: 5,
        scope: "account",
        limit: 1,
        window: null
      })
    })
  )
})
