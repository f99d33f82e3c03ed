/** Complete nodes that submit with a key that has a monthly budget. */
import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Exit, Layer } from "effect"
import { TestClock } from "effect/testing"
import * as Grant from "#domain/account/Grant.ts"
import { KeyId, type RequestId } from "#domain/Ids.ts"
import { type Caller } from "#src/features/accounts/Caller.ts"
import { Funds } from "#src/features/funds/Funds.ts"
import { Requests } from "#src/features/requests/Requests.ts"
import { EventReader } from "#streams/EventReader.ts"
import * as Lifecycle from "#test/support/Lifecycle.ts"
import * as Facts from "#test/support/RequestFacts.ts"
import { TestAccounts, usd } from "#test/support/TestAccounts.ts"
import { single } from "#test/support/TestModels.ts"
import * as TestNode from "#test/support/TestNode.ts"
import * as ReadSide from "#test/support/projections/ReadSide.ts"
import {
  accepted,
  account,
  accountId,
  keyed,
  options,
  price,
  errorAnswer,
  submit,
  withBalance
} from "#test/support/src/features/billing/FundsNode.ts"

const callerWith = (budget: string | null, key = "key_budget"): Caller => ({
  ...Facts.caller(account),
  keyId: KeyId.make(key),
  grant: { ...Grant.unlimited, monthlyBudget: budget === null ? null : usd(budget) }
})

/** Test time begins in 1970. */
const february = Date.UTC(1970, 1)

/** Before anything runs that would wake meanwhile. */
const atTheEndOfJanuary = <A, E, R>(body: Effect.Effect<A, E, R>) =>
  Effect.andThen(TestClock.setTime(february - 60_000), body)

const spent = Effect.gen(function* () {
  const funds = yield* Funds
  yield* funds.caughtUp
  const at = yield* Effect.clockWith(({ currentTimeMillis }) => currentTimeMillis)
  return funds.ofKey({ accountId, keyId: callerWith(null).keyId, at }).spent
})

const complete = Effect.fnUntraced(function* (id: RequestId) {
  yield* Lifecycle.start(id)
  yield* Lifecycle.deliver(id, { value: "out" })
})

const cancel = Effect.fnUntraced(function* (id: RequestId) {
  const requests = yield* Requests
  yield* requests.cancel({ caller: callerWith(null), id, endpoint: single.model.endpoint })
})

describe("A key's budget", () => {
  it.effect("for ten requests accepts ten of a thousand concurrent ones, separately from other keys", () =>
    withBalance(
      "1",
      Effect.gen(function* () {
        const caller = callerWith("0.01")
        const exits = yield* Effect.all(
          Array.from({ length: 1_000 }, () => Effect.exit(submit({ caller }))),
          { concurrency: "unbounded" }
        )
        assert.lengthOf(exits.filter(Exit.isSuccess), 10)
        assert.strictEqual(yield* accepted, 10)
        assert.deepInclude(yield* Effect.flip(submit({ caller })), {
          _tag: "BudgetExceeded",
          limit: usd("0.01"),
          spent: usd("0.01"),
          required: usd(price),
          resetsAt: february
        })
        yield* submit({ caller: callerWith("0.01", "key_other") })
        yield* submit({ caller: callerWith(null) })
      })
    )
  )

  it.effect("counts charges, and returned amounts are usable once an end has returned", () =>
    withBalance(
      "1",
      Effect.gen(function* () {
        const caller = callerWith("0.002")
        const { id } = yield* submit({ caller })
        yield* complete(id)
        assert.strictEqual(yield* spent, usd(price))
        for (let round = 0; round < 20; round++) {
          const { id } = yield* submit({ caller })
          assert.strictEqual(yield* errorAnswer({ caller }), "BudgetExceeded")
          yield* cancel(id)
        }
        assert.strictEqual(yield* spent, usd(price))
      })
    )
  )

  it.effect("is renewed each month, minus current holds", () =>
    atTheEndOfJanuary(
      withBalance(
        "1",
        Effect.gen(function* () {
          const caller = callerWith("0.003")
          const first = yield* submit({ caller })
          yield* complete(first.id)
          const second = yield* submit({ caller })
          yield* submit({ caller })
          yield* TestClock.setTime(february - 1)
          assert.strictEqual(yield* errorAnswer({ caller }), "BudgetExceeded")
          yield* TestClock.setTime(february)
          yield* submit({ caller })
          assert.strictEqual(yield* errorAnswer({ caller }), "BudgetExceeded")
          assert.strictEqual(yield* spent, usd("0.003"))
          yield* cancel(second.id)
          yield* submit({ caller })
        })
      )
    )
  )

  it.effect("is held once for fifty twins under an idempotency key, which all get the answer", () =>
    withBalance(
      "1",
      Effect.gen(function* () {
        const caller = callerWith(price)
        const twins = Array.from({ length: 50 }, () => submit({ caller, ...keyed("k") }))
        const answers = yield* Effect.all(twins, { concurrency: "unbounded" })
        assert.strictEqual(new Set(answers.map(({ id }) => id)).size, 1)
        assert.strictEqual(yield* spent, usd(price))
        assert.isTrue((yield* submit({ caller, ...keyed("k") })).replayed)
        assert.strictEqual(yield* errorAnswer({ caller, ...keyed("K") }), "BudgetExceeded")
      })
    )
  )

  it.effect("that is spent leaves no events, under any idempotency keys", () =>
    withBalance(
      "1",
      Effect.gen(function* () {
        const caller = callerWith("0.0009")
        const { head } = yield* EventReader
        const before = yield* head
        assert.strictEqual(yield* errorAnswer({ caller }), "BudgetExceeded")
        assert.strictEqual(yield* errorAnswer({ caller, ...keyed("k") }), "BudgetExceeded")
        assert.strictEqual(yield* head, before)
        const more = yield* submit({ caller: callerWith(price), ...keyed("k") })
        assert.isFalse(more.replayed)
      })
    )
  )

  it.effect("stays spent after a restart, at any position of the ledger", () =>
    Effect.gen(function* () {
      yield* (yield* TestAccounts).open(account, "1")
      const caller = callerWith("0.003")
      const first = yield* TestNode.start({ ...options, name: "first" })
      const ids = yield* first.on(Effect.replicateEffect(submit({ caller }), 3))
      yield* first.on(complete(ids[0]?.id ?? assert.fail()))
      yield* first.on(cancel(ids[1]?.id ?? assert.fail()))
      // On the same read models, which have all events.
      yield* first.on(ReadSide.settle("ledger"))
      const restarted = yield* first.on(
        Effect.scoped(
          Effect.flatMap(Layer.build(Layer.fresh(Funds.layer)), (context) =>
            Effect.provideService(spent, Funds, Context.get(context, Funds))
          )
        )
      )
      assert.strictEqual(restarted, usd("0.002"))
      yield* first.stop
      // On new read models, which read the log again.
      const second = yield* TestNode.start({ ...options, name: "second" })
      assert.strictEqual(yield* second.on(spent), usd("0.002"))
      yield* second.on(submit({ caller }))
      assert.strictEqual(yield* second.on(errorAnswer({ caller })), "BudgetExceeded")
      yield* TestClock.setTime(february)
      yield* second.on(submit({ caller }))
    }).pipe(Effect.provide(TestNode.storeLayer), atTheEndOfJanuary)
  )
})
