import { DatabaseSync } from "node:sqlite"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Stream } from "effect"
import type { Event } from "#domain/inference-request/Event.ts"
import { entriesOf, type Hold, postingsOf } from "#domain/Ledger.ts"
import { NanoUsd, units } from "#domain/Money.ts"
import { Ledger } from "#projections/ledger/Ledger.ts"
import type { Filter } from "#projections/ledger/LedgerQueries.ts"
import { pageOf } from "#projections/ledger/LedgerQueries.ts"
import * as LedgerHolds from "#projections/ledger/LedgerHolds.ts"
import * as LedgerState from "#projections/ledger/LedgerState.ts"
import * as MoneyEvents from "#projections/ledger/MoneyEvents.ts"
import { Projections } from "#projections/Projections.ts"
import { ReadModels } from "#projections/ReadModels.ts"
import { EventReader } from "#streams/EventReader.ts"
import * as GlobalPosition from "#streams/GlobalPosition.ts"
import { usd } from "#test/support/TestAccounts.ts"
import { stepsOf } from "#test/support/projections/QueryPlan.ts"
import * as ReadSide from "#test/support/projections/ReadSide.ts"
import * as Log from "#test/support/projections/RequestLog.ts"
import * as AccountLog from "#test/support/projections/ledger/AccountLog.ts"

const { t0, alice, bob, carol, echo, slow } = Log

const test = (name: string, body: Effect.Effect<void, unknown, ReadSide.Services>) =>
  it.live(name, () => Effect.provide(body, ReadSide.layer))

/** For the requests of `RequestLog`. */
const { keyId } = Log.submitted(alice, echo)

/** The hold of a request of `RequestLog`. */
const price = "0.001"

const completed = (amount: string, at = t0): Event => ({
  _tag: "RequestCompleted",
  at,
  attempt: 1,
  billing: { status: "charged", amount: usd(amount), units: units(1) },
  error: null
})

const failed: Event = { _tag: "RequestFailed", at: t0, attempt: 1, reason: "refused", message: "no" }
const cancelled: Event = { _tag: "RequestCancelled", at: t0, reason: "requested" }
const forceFailed: Event = { _tag: "RequestForceFailed", at: t0, attempt: 1, retries: 5, message: "lost" }

/** All pages, each after the last position of the previous one. */
const pagesOf = Effect.fnUntraced(function* (asked: Asked) {
  const pages = [yield* list(asked)]
  for (let after = pages[0]?.next ?? null; after !== null; after = pages.at(-1)?.next ?? null) {
    pages.push(yield* list({ ...asked, after }))
  }
  return pages
})

const settled = Effect.andThen(ReadSide.settle("ledger"), Ledger)

interface Asked extends Partial<Filter> {
  readonly page?: number
  readonly after?: number | null
  readonly limit?: number
}

const list = Effect.fnUntraced(function* (asked: Asked = {}) {
  const ledger = yield* settled
  return yield* ledger.entries({ accountId: alice, page: 1, after: null, limit: 100, ...asked })
})

/** Kind, amount and balance of Alice's entries, oldest first, in nano-USD. */
const story = Effect.map(list(), ({ items }) =>
  items.toReversed().map(({ kind, amount, balanceAfter }) => [kind, amount, balanceAfter] as const)
)

const balance = Effect.flatMap(settled, (ledger) => ledger.balance(alice))

/** All ends of a request, for three accounts, one of which has only an open request. */
const lives = Effect.gen(function* () {
  yield* AccountLog.topUp(alice, "25")
  yield* AccountLog.topUp(bob, "9300000000.000000001")
  const accounts = [alice, bob]
  const ends = [completed(price), completed("0.0004"), completed("0"), failed, cancelled, forceFailed]
  for (const [index, end] of ends.entries()) {
    for (const [offset, account] of accounts.entries()) {
      const number = index * 2 + offset
      yield* Log.append(number, Log.submitted(account, index % 2 === 0 ? echo : slow, t0 + number))
      yield* Log.append(number, Log.dispatched(1), Log.started(1), end)
    }
  }
  yield* Log.append(100, Log.submitted(carol, echo))
  yield* AccountLog.limit(bob, "3", null)
  yield* AccountLog.limit(carol, "0.5", 2)
})

describe("The ledger", () => {
  test(
    "holds at submit, charges on completion and releases the rest",
    Effect.gen(function* () {
      yield* AccountLog.topUp(alice, "1", t0 + 1)
      yield* Log.append(1, Log.submitted(alice, echo, t0 + 2))
      assert.deepStrictEqual(yield* balance, {
        balance: usd("1"),
        reserved: usd(price),
        updatedAt: t0 + 2
      })
      yield* Log.append(1, Log.dispatched(1), Log.started(1), completed("0.0004", t0 + 9))
      assert.deepStrictEqual(yield* story, [
        ["topup", usd("1"), usd("1")],
        ["hold", usd(price), usd("1")],
        ["charge", usd("0.0004"), usd("0.9996")],
        ["release", usd("0.0006"), usd("0.9996")]
      ])
      assert.deepStrictEqual(yield* balance, {
        balance: usd("0.9996"),
        reserved: usd("0"),
        updatedAt: t0 + 9
      })
    })
  )

  for (const [event, kind] of [
    [failed, "release"],
    [cancelled, "release"],
    [forceFailed, "revert"]
  ] as const) {
    test(
      `releases the hold after ${event._tag} without a charge`,
      Effect.gen(function* () {
        yield* AccountLog.topUp(alice, "1")
        yield* Log.append(1, Log.submitted(alice, echo), event)
        assert.deepStrictEqual((yield* story).slice(1), [
          ["hold", usd(price), usd("1")],
          [kind, usd(price), usd("1")]
        ])
        assert.deepInclude(yield* balance, { balance: usd("1"), reserved: usd("0") })
      })
    )
  }

  test(
    "shows the position, request and model of each entry",
    Effect.gen(function* () {
      const paid = yield* AccountLog.topUp(alice, "1", t0 + 1)
      const position = yield* Log.append(1, Log.submitted(alice, slow, t0 + 2))
      const { items } = yield* list()
      assert.deepStrictEqual(items, [
        {
          entryId: 2,
          position,
          ordinal: 0,
          accountId: alice,
          requestId: Log.requestId(1),
          model: slow,
          kind: "hold",
          amount: usd(price),
          balanceAfter: usd("1"),
          createdAt: t0 + 2
        },
        {
          entryId: 1,
          position: paid,
          ordinal: 0,
          accountId: alice,
          requestId: null,
          model: null,
          kind: "topup",
          amount: usd("1"),
          balanceAfter: usd("1"),
          createdAt: t0 + 1
        }
      ])
    })
  )

  test(
    "keeps amounts beyond doubles and 64-bit integers",
    Effect.gen(function* () {
      const much = "123456789012345678.000000001"
      yield* AccountLog.topUp(alice, much)
      assert.deepInclude(yield* balance, { balance: usd(much) })
    })
  )

  test(
    "has no rows for an account without entries",
    Effect.gen(function* () {
      const nothing = { balance: usd("0"), reserved: usd("0"), updatedAt: null }
      assert.deepStrictEqual(yield* balance, nothing)
      assert.deepStrictEqual(yield* list(), { total: 0, items: [], next: null })
    })
  )

  test(
    "sums to the postings of the log, per account and in total",
    Effect.gen(function* () {
      yield* lives
      const ledger = yield* settled
      const held = new Map<string, Hold>()
      const sums = new Map<string, bigint>()
      const reader = yield* EventReader
      for (const event of yield* Stream.runCollect(reader.readAll(GlobalPosition.beginning))) {
        const money = MoneyEvents.read(event)
        if (money === null) continue
        const hold = "requestId" in money ? held.get(money.requestId) : undefined
        if (money._tag === "Held") held.set(money.requestId, money)
        for (const { account, amount } of entriesOf(money, hold).flatMap(postingsOf))
          sums.set(account, (sums.get(account) ?? 0n) + amount)
      }
      const sum = (name: string) => sums.get(name) ?? 0n
      assert.strictEqual(
        [...sums.values()].reduce((a, b) => a + b, 0n),
        0n
      )
      for (const account of [alice, bob, carol]) {
        const { balance, reserved } = yield* ledger.balance(account)
        assert.strictEqual(balance - reserved, sum(`${account}:available`), account)
        assert.strictEqual(reserved, sum(`${account}:held`), account)
      }
      assert.strictEqual(sum("revenue"), 2n * (usd(price) + usd("0.0004")))
    })
  )

  test(
    "lists entries newest first, page by page, of one kind or of one request, with their total",
    Effect.gen(function* () {
      yield* lives
      const all = yield* list()
      assert.strictEqual(all.total, all.items.length)
      assert.isTrue(all.items.every(({ accountId }) => accountId === alice))
      const positions = all.items.map(({ position, ordinal }) => Number(position) * 2 + ordinal)
      assert.deepStrictEqual(
        positions,
        positions.toSorted((a, b) => b - a)
      )
      const pages = yield* Effect.forEach([1, 2, 3, 4, 5, 6, 7, 8], (page) => list({ page, limit: 2 }))
      assert.deepStrictEqual(
        pages.flatMap(({ items }) => items),
        all.items.slice(0, 16)
      )
      const followed = yield* pagesOf({ limit: 4 })
      assert.deepStrictEqual(
        followed.flatMap(({ items }) => items),
        all.items
      )
      assert.isTrue(followed.every(({ total }) => total === all.total))
      assert.lengthOf(followed, Math.ceil(all.total / 4))
      for (const kind of ["topup", "hold", "charge", "release", "revert"] as const) {
        const ofKind = all.items.filter((item) => item.kind === kind)
        assert.isNotEmpty(ofKind)
        assert.deepStrictEqual(yield* list({ kind }), { total: ofKind.length, items: ofKind, next: null })
      }
      const requestId = Log.requestId(2)
      const ofRequest = all.items.filter((item) => item.requestId === requestId)
      assert.lengthOf(ofRequest, 3)
      assert.deepStrictEqual(yield* list({ requestId }), { total: 3, items: ofRequest, next: null })
      const one = yield* list({ requestId, kind: "charge" })
      const charges = ofRequest.filter(({ kind }) => kind === "charge")
      assert.deepStrictEqual(one, { total: 1, items: charges, next: null })
      // For another account.
      assert.deepStrictEqual(yield* list({ accountId: bob, requestId }), { total: 0, items: [], next: null })
    })
  )

  test(
    "serves every list from an index, without sorting",
    Effect.gen(function* () {
      yield* settled
      const sql = yield* ReadModels
      for (const filter of [{}, { kind: "hold" }, { requestId: Log.requestId(1) }] as const) {
        for (const after of [null, 500]) {
          const part = { after, offset: 1_000, limit: 20 }
          const steps = (yield* stepsOf(pageOf(sql, { accountId: alice, ...filter }, part))).join("\n")
          assert.notInclude(steps, "TEMP B-TREE", steps)
          assert.notMatch(steps, /SCAN ledger_entries(?! USING INDEX)/, steps)
          if (after !== null && !("requestId" in filter)) assert.match(steps, /list=\? AND rowid<\?/, steps)
        }
      }
    })
  )

  test(
    "returns a consistent state, also to read-only connections",
    Effect.gen(function* () {
      yield* lives
      const ledger = yield* settled
      const state = yield* ledger.state
      assert.strictEqual(state.position, yield* (yield* EventReader).head)
      assert.deepStrictEqual(state.balances, yield* ledger.balances({ accountIds: [alice, bob, carol] }))
      assert.deepStrictEqual(state.open, [{ accountId: carol, keyId, requests: 1, held: usd(price) }])
      const month = Date.UTC(2023, 10)
      assert.deepStrictEqual(state.spending, [
        { accountId: alice, keyId, month, spent: usd("0.0014") },
        { accountId: bob, keyId, month, spent: usd("0.0014") }
      ])
      assert.deepStrictEqual(state.limits, [
        { accountId: bob, limits: { creditLimit: usd("3"), maxOpenRequests: null } },
        { accountId: carol, limits: { creditLimit: usd("0.5"), maxOpenRequests: 2 } }
      ])
      using db = new DatabaseSync(yield* (yield* Projections).filename, { readOnly: true })
      assert.deepStrictEqual(LedgerState.read(db.prepare(LedgerState.statement).all()), state)
      assert.deepStrictEqual(db.prepare(LedgerHolds.statement).all().map(LedgerHolds.read), [
        { requestId: Log.requestId(100), accountId: carol, keyId, amount: usd(price) }
      ])
    })
  )

  test(
    "counts an open hold of zero, and books no entry for it",
    Effect.gen(function* () {
      const { quote, ...rest } = Log.submitted(alice, echo)
      yield* Log.append(1, { ...rest, quote: { ...quote, hold: NanoUsd.make(0n) } })
      const { open } = yield* (yield* settled).state
      assert.deepStrictEqual(open, [{ accountId: alice, keyId, requests: 1, held: NanoUsd.make(0n) }])
      assert.deepStrictEqual(yield* list(), { total: 0, items: [], next: null })
    })
  )
})
