/** The rules of the cells, event by event; what they are worth among concurrent submits is in `Funds.test.ts`. */
import { assert, describe, it } from "@effect/vitest"
import * as Account from "#domain/account/Account.ts"
import * as InferenceRequest from "#domain/inference-request/InferenceRequest.ts"
import type { Event } from "#domain/inference-request/Event.ts"
import { NanoUsd, units } from "#domain/Money.ts"
import * as FundsCells from "#src/billing/FundsCells.ts"
import { trustedVersion } from "#streams/ExpectedVersion.ts"
import * as GlobalPosition from "#streams/GlobalPosition.ts"
import { RecordedEvent } from "#streams/RecordedEvent.ts"
import * as StreamName from "#streams/StreamName.ts"
import * as Log from "#test/projections/RequestLog.ts"
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

const ofAccount = (event: Account.Event, account = alice) => {
  const { data, type } = Account.codec.encode(event)
  return recorded(StreamName.make("Account", account), type, data)
}

const ofRequest = (number: number, event: Event) => {
  const { data, type } = InferenceRequest.aggregate.codec.encode(event)
  return recorded(StreamName.make("InferenceRequest", requestId(number)), type, data)
}

const toppedUp = (amount: string) =>
  ofAccount({ _tag: "BalanceToppedUp", at: t0, amount: usd(amount), reference: "test" })

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

const nothing = { position: GlobalPosition.beginning, balances: [], holds: [], limits: [] }

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
  it("are what was paid in, and nothing is reserved beyond them", () => {
    const cells = given(toppedUp("0.002"))
    assert.deepStrictEqual(
      [1, 2, 3].map((number) => cells.reserve(alice, requestId(number), price)),
      ["ok", "ok", "insufficient"]
    )
    assert.deepStrictEqual(look(cells), funds("0", "0.002", 2))
    assert.strictEqual(cells.reserve(bob, requestId(4), price), "insufficient")
  })

  it("hold what was reserved once, when the log has it too", () => {
    const cells = given(toppedUp("1"))
    cells.reserve(alice, requestId(1), price)
    const before = look(cells)
    cells.fold(submitted(1))
    assert.deepStrictEqual(look(cells), before)
    // What is on the log is not given back by the node that reserved it.
    cells.cancel(requestId(1))
    assert.deepStrictEqual(look(cells), before)
  })

  it("hold what the log says, when that is another amount than was reserved", () => {
    const cells = given(toppedUp("1"))
    cells.reserve(alice, requestId(1), price)
    cells.fold(submitted(1, usd("0.4")))
    assert.deepStrictEqual(look(cells), funds("0.6", "0.4", 1))
  })

  it("get back what is cancelled, once", () => {
    const cells = given(toppedUp("1"))
    cells.reserve(alice, requestId(1), price)
    cells.cancel(requestId(1))
    cells.cancel(requestId(1))
    assert.deepStrictEqual(look(cells), funds("1", "0", 0))
  })

  it("hold one amount for twins, until the last of them has cancelled", () => {
    const cells = given(toppedUp("0.001"))
    assert.strictEqual(cells.reserve(alice, requestId(1), price), "ok")
    assert.strictEqual(cells.reserve(alice, requestId(1), price), "ok")
    assert.deepStrictEqual(look(cells), funds("0", "0.001", 1))
    cells.cancel(requestId(1))
    assert.strictEqual(cells.reserve(alice, requestId(2), price), "insufficient")
    cells.cancel(requestId(1))
    assert.strictEqual(cells.reserve(alice, requestId(2), price), "ok")
  })

  it("get back the rest of what was held when less is charged", () => {
    const cells = given(toppedUp("1"), submitted(1), completed(1, "0.0004"))
    assert.deepStrictEqual(look(cells), funds("0.9996", "0", 0))
    cells.fold(completed(1, "0.0004"))
    assert.deepStrictEqual(look(cells), funds("0.9996", "0", 0))
  })

  it("keep the reserve of a request that has ended until it is cancelled", () => {
    const cells = given(toppedUp("1"), submitted(1), completed(1, "0.001"))
    cells.reserve(alice, requestId(1), price)
    cells.fold(completed(1, "0.001"))
    assert.deepStrictEqual(look(cells), funds("0.998", "0.001", 1))
    cells.cancel(requestId(1))
    assert.deepStrictEqual(look(cells), funds("0.999", "0", 0))
  })

  it("go below zero by the credit limit, and not further when it is lowered", () => {
    const cells = given(limited("0.002", null))
    const reserve = (number: number) => cells.reserve(alice, requestId(number), price)
    assert.deepStrictEqual([reserve(1), reserve(2), reserve(3)], ["ok", "ok", "insufficient"])
    cells.fold(limited("0", null))
    cells.cancel(requestId(1))
    assert.strictEqual(reserve(4), "insufficient")
    assert.deepStrictEqual(look(cells), funds("-0.001", "0.001", 1))
  })

  it("pay for as many open requests as the account may have, free ones among them", () => {
    const cells = given(toppedUp("1"), limited("0", 2), submitted(1, NanoUsd.make(0n)))
    const reserve = (number: number) => cells.reserve(alice, requestId(number), price)
    assert.deepStrictEqual([reserve(2), reserve(3)], ["ok", "too_many_open"])
    cells.fold(ofRequest(1, { _tag: "RequestCancelled", at: t0, reason: "requested" }))
    assert.strictEqual(reserve(3), "ok")
  })

  it("leave out an event that cannot be read", () => {
    const cells = given(toppedUp("1"), submitted(1))
    const before = look(cells)
    const broken = recorded(StreamName.make("InferenceRequest", requestId(1)), "RequestCompleted", {
      billing: 1
    })
    assert.throws(() => cells.fold(broken))
    assert.deepStrictEqual(look(cells), before)
  })
})
