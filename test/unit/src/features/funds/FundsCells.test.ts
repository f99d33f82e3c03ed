/** The rules of the cells, event by event; `Funds.test.ts` tests concurrent submits. */
import { assert, describe, it } from "@effect/vitest"
import * as AccountEvent from "#domain/account/Event.ts"
import * as InferenceRequest from "#domain/inference-request/InferenceRequest.ts"
import { KeyId } from "#domain/Ids.ts"
import type { Event } from "#domain/inference-request/Event.ts"
import { NanoUsd, units } from "#domain/Money.ts"
import * as FundsCells from "#src/features/funds/FundsCells.ts"
import { trustedVersion } from "#streams/ExpectedVersion.ts"
import * as GlobalPosition from "#streams/GlobalPosition.ts"
import { RecordedEvent } from "#streams/RecordedEvent.ts"
import * as StreamName from "#streams/StreamName.ts"
import * as Log from "#test/support/projections/RequestLog.ts"
import { usd } from "#test/support/TestAccounts.ts"

const { alice, bob, echo, requestId, t0 } = Log
const price = usd("0.001")

const recorded = (stream: StreamName.StreamName, type: string, data: unknown) =>
  new RecordedEvent({
    position: GlobalPosition.beginning,
    stream,
    ordinal: 0,
    version: trustedVersion("0"),
    id: "event",
    type,
    time: t0,
    text: JSON.stringify(data),
    hash: ""
  })

const ofAccount = (event: AccountEvent.Event, account = alice) => {
  const { data, type } = AccountEvent.codec.encode(event)
  return recorded(StreamName.make("Account", account), type, data)
}

const ofRequest = (number: number, event: Event) => {
  const { data, type } = InferenceRequest.aggregate.codec.encode(event)
  return recorded(StreamName.make("InferenceRequest", requestId(number)), type, data)
}

const paid = { _tag: "BalanceToppedUp", at: t0, reference: "test" } as const

const toppedUp = (amount: string) => ofAccount({ ...paid, amount: usd(amount) })

const limited = (credit: string, maxOpenRequests: number | null) =>
  ofAccount({ _tag: "LimitsChanged", at: t0, creditLimit: usd(credit), maxOpenRequests })

const submitted = (number: number, hold = price) => {
  const { quote, ...rest } = Log.submitted(alice, echo)
  return ofRequest(number, { ...rest, quote: { ...quote, hold } })
}

const completed = (number: number, amount: string) =>
  ofRequest(number, {
    _tag: "RequestCompleted",
    at: t0,
    attempt: 1,
    billing: { status: "charged", amount: usd(amount), units: units(1) },
    error: null
  })

const nothing = {
  position: GlobalPosition.beginning,
  balances: [],
  open: [],
  spending: [],
  limits: []
}

/** For the key of `RequestLog`, without a budget. */
const wanted = (hold = price, accountId = alice): FundsCells.HoldTerms => ({
  accountId,
  keyId: Log.submitted(alice, echo).keyId,
  hold,
  budget: null,
  at: t0
})

const given = (...events: ReadonlyArray<RecordedEvent>) => {
  const cells = FundsCells.make(nothing)
  for (const event of events) cells.fold(event)
  return cells
}

const look = (cells: FundsCells.FundsCells) => {
  const { available, held, open } = cells.of(alice)
  return { available, held, open }
}

const funds = (available: string, held: string, open: number) => ({
  available: usd(available),
  held: usd(held),
  open
})

describe("The funds of an account", () => {
  it("are the payments, and reserves never exceed them", () => {
    const cells = given(toppedUp("0.002"))
    assert.deepStrictEqual(
      [1, 2, 3].map((number) => cells.reserve(requestId(number), wanted())),
      ["ok", "ok", "insufficient"]
    )
    assert.deepStrictEqual(look(cells), funds("0", "0.002", 2))
    assert.strictEqual(cells.reserve(requestId(4), wanted(price, bob)), "insufficient")
  })

  it("do not cover a hold that exceeds them by 1 nano-USD", () => {
    const cells = given(toppedUp("0.002"))
    assert.strictEqual(cells.reserve(requestId(1), wanted(NanoUsd.make(usd("0.002") + 1n))), "insufficient")
    assert.strictEqual(cells.reserve(requestId(1), wanted(usd("0.002"))), "ok")
  })

  it("have one hold for a reserve that is also on the log", () => {
    const cells = given(toppedUp("1"))
    cells.reserve(requestId(1), wanted())
    const before = look(cells)
    cells.fold(submitted(1))
    assert.deepStrictEqual(look(cells), before)
    // The node does not release a hold that is on the log.
    cells.cancel(requestId(1))
    assert.deepStrictEqual(look(cells), before)
  })

  it("hold the recorded amount when it differs from the reserved one", () => {
    const cells = given(toppedUp("1"))
    cells.reserve(requestId(1), wanted())
    cells.fold(submitted(1, usd("0.4")))
    assert.deepStrictEqual(look(cells), funds("0.6", "0.4", 1))
  })

  it("get back a cancelled reserve, once", () => {
    const cells = given(toppedUp("1"))
    cells.reserve(requestId(1), wanted())
    cells.cancel(requestId(1))
    cells.cancel(requestId(1))
    assert.deepStrictEqual(look(cells), funds("1", "0", 0))
  })

  it("have one hold for twins, until the last of them has cancelled", () => {
    const cells = given(toppedUp("0.001"))
    assert.strictEqual(cells.reserve(requestId(1), wanted()), "ok")
    assert.strictEqual(cells.reserve(requestId(1), wanted()), "ok")
    assert.deepStrictEqual(look(cells), funds("0", "0.001", 1))
    cells.cancel(requestId(1))
    assert.strictEqual(cells.reserve(requestId(2), wanted()), "insufficient")
    cells.cancel(requestId(1))
    assert.strictEqual(cells.reserve(requestId(2), wanted()), "ok")
  })

  it("get back the rest of a hold when less is charged", () => {
    const cells = given(toppedUp("1"), submitted(1), completed(1, "0.0004"))
    assert.deepStrictEqual(look(cells), funds("0.9996", "0", 0))
    cells.fold(completed(1, "0.0004"))
    assert.deepStrictEqual(look(cells), funds("0.9996", "0", 0))
  })

  it("keep the reserve of a request that has ended until it is cancelled", () => {
    const cells = given(toppedUp("1"), submitted(1), completed(1, "0.001"))
    cells.reserve(requestId(1), wanted())
    cells.fold(completed(1, "0.001"))
    assert.deepStrictEqual(look(cells), funds("0.998", "0.001", 1))
    cells.cancel(requestId(1))
    assert.deepStrictEqual(look(cells), funds("0.999", "0", 0))
  })

  it("are those of the log when most holds are no longer in memory", () => {
    const requests = Array.from({ length: 40 }, (_, number) => number)
    const cells = FundsCells.make(nothing, 4)
    cells.fold(toppedUp("1"))
    // A reserve stays in memory until it is on the log.
    cells.reserve(requestId(99), wanted())
    for (const number of requests) {
      cells.reserve(requestId(number), wanted())
      cells.fold(submitted(number))
    }
    assert.deepStrictEqual(look(cells), funds("0.959", "0.041", 41))
    const missing = requests.filter((number) => !cells.fold(completed(number, "0.0004")))
    assert.isAtLeast(missing.length, 30)
    assert.strictEqual(cells.of(alice).open, missing.length + 1)
    for (const number of missing) {
      const ended = completed(number, "0.0004")
      assert.throws(() => cells.end(ended, ended))
      cells.end(ended, submitted(number))
    }
    assert.deepStrictEqual(look(cells), funds("0.983", "0.001", 1))
    cells.cancel(requestId(99))
    assert.deepStrictEqual(look(cells), funds("0.984", "0", 0))
  })

  it("go below zero by the credit limit, and no further when it is lowered", () => {
    const cells = given(limited("0.002", null))
    const reserve = (number: number) => cells.reserve(requestId(number), wanted())
    assert.deepStrictEqual([reserve(1), reserve(2), reserve(3)], ["ok", "ok", "insufficient"])
    cells.fold(limited("0", null))
    cells.cancel(requestId(1))
    assert.strictEqual(reserve(4), "insufficient")
    assert.deepStrictEqual(look(cells), funds("-0.001", "0.001", 1))
  })

  it("limit the number of open requests, free ones included", () => {
    const cells = given(toppedUp("1"), limited("0", 2), submitted(1, NanoUsd.make(0n)))
    const reserve = (number: number) => cells.reserve(requestId(number), wanted())
    assert.deepStrictEqual([reserve(2), reserve(3)], ["ok", "too_many_open"])
    cells.fold(ofRequest(1, { _tag: "RequestCancelled", at: t0, reason: "requested" }))
    assert.strictEqual(reserve(3), "ok")
  })

  it("skip an unreadable event", () => {
    const cells = given(toppedUp("1"), submitted(1))
    const before = look(cells)
    const broken = recorded(StreamName.make("InferenceRequest", requestId(1)), "RequestCompleted", {
      billing: 1
    })
    assert.throws(() => cells.fold(broken))
    assert.deepStrictEqual(look(cells), before)
  })
})

describe("The budget of a key", () => {
  const { keyId } = wanted()
  const february = Date.UTC(2023, 1)
  const late = february - 1

  const within = (budget: string, at = late, rest: Partial<FundsCells.HoldTerms> = {}) => ({
    ...wanted(),
    budget: usd(budget),
    at,
    ...rest
  })

  const spent = (cells: FundsCells.FundsCells, at = late) =>
    cells.ofKey({ accountId: alice, keyId, at }).spent

  const at = (time: number, event: RecordedEvent) => new RecordedEvent({ ...event, text: event.text, time })

  const charged = (number: number, amount: string, time: number) => [
    submitted(number),
    at(time, completed(number, amount))
  ]

  it("limits the key's holds", () => {
    const cells = given(toppedUp("1"))
    const reserve = (number: number) => cells.reserve(requestId(number), within("0.002"))
    assert.deepStrictEqual([1, 2, 3].map(reserve), ["ok", "ok", "over_budget"])
    assert.strictEqual(cells.affords(within("0.003")), "ok")
    assert.strictEqual(cells.affords(within("0.002999999")), "over_budget")
    assert.strictEqual(spent(cells), usd("0.002"))
  })

  it("is separate from other keys, of its account or of another one under the same id", () => {
    const cells = given(toppedUp("1"), ofAccount({ ...paid, amount: usd("1") }, bob))
    cells.reserve(requestId(1), within("0.001"))
    assert.strictEqual(cells.affords(within("0.001")), "over_budget")
    const others: ReadonlyArray<Partial<FundsCells.HoldTerms>> = [
      { keyId: KeyId.make("another") },
      { accountId: bob }
    ]
    for (const other of others) assert.strictEqual(cells.affords(within("0.001", late, other)), "ok")
    assert.strictEqual(cells.affords(wanted()), "ok")
  })

  it("is checked when the request has another key's reserve: either of the two may be charged", () => {
    const cells = given(toppedUp("1"))
    const another = { keyId: KeyId.make("another") }
    const reserve = (number: number, budget: string, other: Partial<FundsCells.HoldTerms> = {}) =>
      cells.reserve(requestId(number), within(budget, late, other))
    const spentByOther = () => cells.ofKey({ accountId: alice, at: late, ...another }).spent
    assert.strictEqual(reserve(1, "0.001"), "ok")
    assert.strictEqual(reserve(1, "0.000999999", another), "over_budget")
    assert.deepStrictEqual([reserve(1, "0.001", another), reserve(1, "0.001", another)], ["ok", "ok"])
    assert.strictEqual(reserve(2, "0.001", another), "over_budget")
    assert.deepStrictEqual([spent(cells), spentByOther()], [price, price])
    assert.strictEqual(cells.of(alice).held, price)
    // The log identifies its owner.
    cells.fold(submitted(1))
    assert.deepStrictEqual([spent(cells), spentByOther()], [price, usd("0")])
    assert.strictEqual(reserve(1, "0.000999999", another), "ok")
  })

  it("is released with the last reserve of the request, under either key", () => {
    const cells = given(toppedUp("1"))
    const keys = [{}, { keyId: KeyId.make("another") }]
    for (const key of keys) cells.reserve(requestId(1), within("1", late, key))
    const all = () => keys.map((key) => cells.ofKey({ accountId: alice, keyId, at: late, ...key }).spent)
    cells.cancel(requestId(1))
    assert.deepStrictEqual(all(), [price, price])
    cells.cancel(requestId(1))
    assert.deepStrictEqual(all(), [usd("0"), usd("0")])
    assert.deepInclude(cells.of(alice), { available: usd("1"), held: usd("0"), open: 0 })
  })

  it("counts charges of the month, and holds of any time", () => {
    const cells = given(toppedUp("1"), ...charged(1, "0.0004", late), submitted(2))
    assert.strictEqual(spent(cells), usd("0.0014"))
    assert.strictEqual(spent(cells, february), price)
    for (const event of charged(3, "0.0003", february)) cells.fold(event)
    assert.strictEqual(spent(cells, february), usd("0.0013"))
    // A late event of the previous month, because another node's clock is behind.
    for (const event of charged(4, "0.0001", late)) cells.fold(event)
    assert.strictEqual(spent(cells, february), usd("0.0013"))
    // A node whose clock is behind uses the newest month.
    assert.strictEqual(spent(cells, late), usd("0.0013"))
  })

  it("is released by a cancel, a release and a revert, and by the rest of a lower charge", () => {
    const cells = given(toppedUp("1"), submitted(1), submitted(2), submitted(3))
    cells.reserve(requestId(4), within("1"))
    assert.strictEqual(spent(cells), usd("0.004"))
    cells.cancel(requestId(4))
    cells.fold(ofRequest(1, { _tag: "RequestCancelled", at: t0, reason: "requested" }))
    cells.fold(ofRequest(2, { _tag: "RequestForceFailed", at: t0, attempt: 1, retries: 5, message: "lost" }))
    assert.strictEqual(spent(cells), price)
    cells.fold(at(late, completed(3, "0.0001")))
    assert.strictEqual(spent(cells), usd("0.0001"))
  })

  it("continues at the ledger's position", () => {
    const cells = FundsCells.make({
      ...nothing,
      open: [{ accountId: alice, keyId, requests: 1, held: price }],
      spending: [{ accountId: alice, keyId, month: Date.UTC(2023, 0), spent: usd("0.5") }]
    })
    assert.strictEqual(spent(cells), usd("0.501"))
    const ended = at(late, completed(1, "0.0002"))
    assert.isFalse(cells.fold(ended))
    cells.end(ended, submitted(1))
    assert.strictEqual(spent(cells), usd("0.5002"))
    assert.strictEqual(cells.ofKey({ accountId: alice, keyId, at: late }).resetsAt, february)
    assert.strictEqual(spent(cells, february), usd("0"))
  })

  it("is checked after the balance, and before the number of open requests", () => {
    const cells = given(toppedUp("0.002"), limited("0", 0))
    assert.strictEqual(cells.affords(within("0", late, { hold: usd("0.003") })), "insufficient")
    assert.strictEqual(cells.affords(within("0")), "over_budget")
    assert.strictEqual(cells.affords(within("1")), "too_many_open")
  })
})
