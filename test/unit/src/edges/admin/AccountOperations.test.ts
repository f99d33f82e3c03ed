import { assert, describe, it } from "@effect/vitest"
import { Array as Arr, Effect, Layer, Stream } from "effect"
import { noLimits } from "#domain/account/Limits.ts"
import { AccountId } from "#domain/Ids.ts"
import * as Money from "#domain/Money.ts"
import type { Balance } from "#src/edges/admin/accounts/AccountOperations.ts"
import { Administration } from "#src/edges/admin/Administration.ts"
import { AccountActors } from "#src/features/accounts/AccountActors.ts"
import { EventReader } from "#streams/EventReader.ts"
import * as GlobalPosition from "#streams/GlobalPosition.ts"
import * as Log from "#test/support/projections/RequestLog.ts"
import { layers, quiet } from "#test/support/src/edges/admin/AdministrationLayers.ts"

const usd = (text: string) => Money.NanoUsd.make(BigInt(text) * 1_000_000_000n)

const openAccount = (name: string, balance = "0") =>
  Effect.flatMap(Administration, ({ openAccount }) => openAccount({ name, balance: usd(balance) })).pipe(
    Effect.map(({ accountId }) => accountId)
  )

const eventsOf = (type: string) =>
  Effect.flatMap(EventReader, (reader) => Stream.runCollect(reader.readAll(GlobalPosition.beginning))).pipe(
    Effect.map((events) => events.filter((event) => event.type === type))
  )

const nobody = AccountId.make("acc_0000000000000000")

const errorAnswer = <A, E extends { readonly _tag: string }, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.map(Effect.flip(effect), ({ _tag }) => _tag)

/** Balance, reserved and available in USD. */
const amounts = ({ available, balance, reserved }: Balance) =>
  [balance, reserved, available].map(Money.format)

for (const [name, layer] of Object.entries(layers)) {
  describe(`Administration of accounts, ${name}`, () => {
    const test = (what: string, effect: Effect.Effect<void, unknown, Layer.Success<typeof layer>>) =>
      it.live(what, () => effect.pipe(Effect.provide(Layer.provide(layer, quiet))))

    test(
      "credits once per payment id, also under concurrent calls",
      Effect.gen(function* () {
        const { showBalance, topUp } = yield* Administration
        const accountId = yield* openAccount("acme", "25")
        const payment = { accountId, amount: usd("5"), reference: "Rechnung für 油 🛢", paymentId: "inv-1" }
        const all = yield* Effect.replicateEffect(topUp(payment), 20, { concurrency: "unbounded" })
        assert.lengthOf(
          all.filter(({ applied }) => applied),
          1
        )
        assert.isTrue(all.every(({ balance }) => balance.isCurrent && balance.balance === usd("30")))
        const [, paid, ...others] = yield* eventsOf("BalanceToppedUp")
        assert.deepInclude(paid?.data, { reference: payment.reference, paymentId: "inv-1" })
        assert.lengthOf(others, 0)

        const other = yield* Effect.flip(topUp({ ...payment, amount: usd("6") }))
        assert.strictEqual(other._tag, "PaymentIdReused")
        const more = yield* topUp({ ...payment, paymentId: "inv-2" })
        assert.isTrue(more.applied)
        assert.deepStrictEqual(amounts(yield* showBalance({ accountId })), ["35", "0", "35"])
      })
    )

    test(
      "credits each of two accounts under the same payment id",
      Effect.gen(function* () {
        const { topUp } = yield* Administration
        const payment = { amount: usd("1"), reference: "", paymentId: "p" }
        for (const name of ["a", "b"]) {
          const { applied, balance } = yield* topUp({ ...payment, accountId: yield* openAccount(name) })
          assert.isTrue(applied)
          assert.deepStrictEqual(amounts(balance), ["1", "0", "1"])
        }
      })
    )

    test(
      "shows reserved amounts, and a balance of zero for an account without payments",
      Effect.gen(function* () {
        const { showBalance } = yield* Administration
        const rich = yield* openAccount("rich", "1")
        const poor = yield* openAccount("poor")
        yield* Log.append(1, Log.submitted(rich, Log.echo))
        const shown = yield* showBalance({ accountId: rich })
        assert.deepStrictEqual([...amounts(shown), shown.isCurrent], ["1", "0.001", "0.999", true])
        assert.strictEqual(shown.updatedAt, Log.t0)
        assert.deepInclude(yield* showBalance({ accountId: poor }), { balance: Money.zero, updatedAt: null })
      })
    )

    test(
      "reports a stopped ledger, and still accepts payments",
      Effect.gen(function* () {
        const { listAccounts, showBalance, topUp } = yield* Administration
        const accountId = yield* openAccount("acme", "1")
        yield* showBalance({ accountId })
        yield* Log.appendCorrupt(1, "RequestSubmitted")
        const payment = { accountId, amount: usd("1"), reference: "", paymentId: "p" }
        const paid = yield* topUp(payment)
        assert.isTrue(paid.applied)
        assert.deepStrictEqual([...amounts(paid.balance), paid.balance.isCurrent], ["1", "0", "1", false])
        assert.isFalse((yield* topUp(payment)).applied)
        const { data } = yield* listAccounts({ after: null })
        const [listed] = data
        assert.isFalse(listed?.isCurrent)
      })
    )

    test(
      "lists every account once, page by page, with balance and limits",
      Effect.gen(function* () {
        const { changeLimits, listAccounts } = yield* Administration
        const ids = yield* Effect.forEach(["0", "1", "2"], (balance) => openAccount(`n${balance}`, balance))
        const [first = nobody, second = nobody] = ids
        yield* changeLimits({ accountId: first, creditLimit: usd("7") })
        yield* changeLimits({ accountId: first, maxOpenRequests: 3 })
        yield* changeLimits({ accountId: second, maxStoredBytes: 2 ** 52 })
        yield* (yield* AccountActors).execute(second, { _tag: "Erase", at: Log.t0 })

        const { data: all, next: end } = yield* listAccounts({ after: null })
        assert.isNull(end)
        assert.deepStrictEqual(
          all.map(({ accountId }) => accountId),
          [...ids].sort()
        )
        const listed = ids.map((id) => all.find(({ accountId }) => accountId === id))
        assert.deepStrictEqual(
          listed.map((found) => found && [found.name, ...amounts(found), found.erasedAt]),
          [
            ["n0", "0", "0", "0", null],
            ["n1", "1", "0", "1", Log.t0],
            ["n2", "2", "0", "2", null]
          ]
        )
        assert.deepStrictEqual(
          listed.map((found) => found && [found.creditLimit, found.maxOpenRequests, found.maxStoredBytes]),
          [
            [usd("7"), 3, null],
            [Money.zero, null, 2 ** 52],
            [Money.zero, null, null]
          ]
        )
        const begin = yield* listAccounts({ after: null, limit: 1 })
        assert.deepStrictEqual(begin, { data: all.slice(0, 1), next: all[0]?.accountId ?? null })
        const rest = yield* listAccounts({ after: begin.next, limit: 2 })
        assert.deepStrictEqual(rest, { data: all.slice(1), next: null })
        const beyond = yield* listAccounts({ after: all[2]?.accountId ?? null })
        assert.deepStrictEqual(beyond, { data: [], next: null })
      })
    )

    test(
      "changes limits one by one, and concurrent changes do not undo each other",
      Effect.gen(function* () {
        const { changeLimits, showLimits, topUp } = yield* Administration
        const accountId = yield* openAccount("acme")
        assert.deepStrictEqual(yield* showLimits({ accountId }), noLimits)
        for (const round of Arr.range(1, 10)) {
          // All changes arrive while the account is busy, and wait.
          const payment = { amount: usd("1"), reference: "", paymentId: `p${round}` }
          const expected = {
            creditLimit: usd(String(round)),
            maxOpenRequests: round,
            maxStoredBytes: 1_000 * round,
            accountRate: { requests: round, windowSeconds: 60 },
            keyRate: { requests: 1, windowSeconds: round },
            maxStreams: round
          }
          const { accountRate, creditLimit, keyRate, maxOpenRequests, maxStoredBytes, maxStreams } = expected
          const changes = [
            { creditLimit },
            { maxOpenRequests },
            { maxStoredBytes },
            { accountRate },
            { keyRate },
            { maxStreams }
          ]
          yield* Effect.all(
            [
              topUp({ accountId, ...payment }),
              ...changes.map((change) => changeLimits({ accountId, ...change }))
            ],
            { concurrency: "unbounded" }
          )
          assert.deepStrictEqual(yield* showLimits({ accountId }), expected)
        }
        const before = yield* eventsOf("LimitsChanged")
        yield* changeLimits({ accountId, maxOpenRequests: 10 })
        assert.lengthOf(yield* eventsOf("LimitsChanged"), before.length)
        assert.deepInclude(yield* changeLimits({ accountId, maxOpenRequests: null }), {
          creditLimit: usd("10"),
          maxOpenRequests: null,
          maxStoredBytes: 10_000
        })
      })
    )

    test(
      "rejects unknown accounts, and changes nothing of erased ones",
      Effect.gen(function* () {
        const { changeLimits, listKeys, showBalance, showLimits, topUp } = yield* Administration
        const payment = { amount: usd("1"), reference: "", paymentId: "p" }
        const absent = [
          yield* errorAnswer(showBalance({ accountId: nobody })),
          yield* errorAnswer(topUp({ ...payment, accountId: nobody })),
          yield* errorAnswer(showLimits({ accountId: nobody })),
          yield* errorAnswer(changeLimits({ accountId: nobody, maxOpenRequests: 1 }))
        ]
        assert.deepStrictEqual([...new Set(absent)], ["AccountNotFound"])

        const accountId = yield* openAccount("acme", "2")
        yield* (yield* AccountActors).execute(accountId, { _tag: "Erase", at: Log.t0 })
        assert.strictEqual(yield* errorAnswer(topUp({ ...payment, accountId })), "AccountClosed")
        const change = changeLimits({ accountId, maxOpenRequests: 1 })
        assert.strictEqual(yield* errorAnswer(change), "AccountClosed")
        assert.deepStrictEqual(amounts(yield* showBalance({ accountId })), ["2", "0", "2"])
        const { data: keys } = yield* listKeys({ accountId, after: null })
        assert.deepStrictEqual(
          keys.map(({ revokedAt }) => revokedAt),
          [Log.t0]
        )
      })
    )
  })
}
