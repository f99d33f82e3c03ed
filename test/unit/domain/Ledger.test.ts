/** Double entry (architecture, "Billing"): no event creates or destroys money. */
import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { AccountId, RequestId } from "#domain/Ids.ts"
import * as Ledger from "#domain/Ledger.ts"
import { NanoUsd } from "#domain/Money.ts"

const accountId = AccountId.make("acc_0123456789abcdef")
const requestId = RequestId.make("rq-cF_0T3--abcdefghij")
const usd = (nanos: bigint) => NanoUsd.make(nanos)
const held: Ledger.Hold = { accountId, amount: usd(8n) }

const external = "external"
const revenue = "revenue"
const available = Ledger.availableOf(accountId)
const heldAccount = Ledger.heldOf(accountId)

const captured = (amount: bigint): Ledger.MoneyEvent => ({ _tag: "Captured", requestId, amount: usd(amount) })

type Moved = readonly [
  kind: Ledger.EntryKind,
  debit: Ledger.LedgerAccount,
  credit: Ledger.LedgerAccount,
  amount: bigint
]

const cases: ReadonlyArray<[string, Ledger.MoneyEvent, ReadonlyArray<Moved>]> = [
  [
    "a top-up: from outside to available",
    { _tag: "ToppedUp", accountId, amount: usd(25n) },
    [["topup", external, available, 25n]]
  ],
  [
    "a hold: from available to held",
    { _tag: "Held", accountId, requestId, amount: usd(8n) },
    [["hold", available, heldAccount, 8n]]
  ],
  ["a charge of all: from held to revenue", captured(8n), [["charge", heldAccount, revenue, 8n]]],
  [
    "a charge of a part: that to revenue, the rest back",
    captured(5n),
    [
      ["charge", heldAccount, revenue, 5n],
      ["release", heldAccount, available, 3n]
    ]
  ],
  ["a charge of nothing: all back", captured(0n), [["release", heldAccount, available, 8n]]],
  [
    "a release: from held back to available",
    { _tag: "Released", requestId },
    [["release", heldAccount, available, 8n]]
  ],
  [
    "a reversal: from held back to available",
    { _tag: "Reverted", requestId },
    [["revert", heldAccount, available, 8n]]
  ],
  ["a hold of nothing: nothing", { _tag: "Held", accountId, requestId, amount: usd(0n) }, []],
  ["a top-up of nothing: nothing", { _tag: "ToppedUp", accountId, amount: usd(0n) }, []]
]

const postingsOf = (event: Ledger.MoneyEvent, hold: Ledger.Hold | undefined) =>
  Ledger.entriesOf(event, hold).flatMap(Ledger.postingsOf)

const total = (amounts: Iterable<bigint>) => [...amounts].reduce((sum, amount) => sum + amount, 0n)
const sum = (postings: ReadonlyArray<Ledger.Posting>) => total(postings.map(({ amount }) => amount))

describe("The ledger", () => {
  it.each(cases)("books %s", (_name, event, moved) => {
    assert.deepStrictEqual<ReadonlyArray<Moved>>(
      Ledger.entriesOf(event, held).map(({ amount, credit, debit, kind }) => [kind, debit, credit, amount]),
      moved
    )
    assert.strictEqual(sum(postingsOf(event, held)), 0n)
  })

  it("debits one account with what it credits to the other", () => {
    assert.deepStrictEqual(postingsOf({ _tag: "ToppedUp", accountId, amount: usd(25n) }, undefined), [
      { account: external, amount: usd(-25n) },
      { account: available, amount: usd(25n) }
    ])
  })

  it("releases and charges nothing for a request without a hold", () => {
    const ends: ReadonlyArray<Ledger.MoneyEvent> = [
      captured(5n),
      { _tag: "Released", requestId },
      { _tag: "Reverted", requestId }
    ]
    for (const event of ends) assert.deepStrictEqual(Ledger.entriesOf(event, undefined), [])
  })

  it("keeps the money of two customers apart", () => {
    const other = AccountId.make("acc_fedcba9876543210")
    assert.notStrictEqual(Ledger.availableOf(other), available)
    assert.notStrictEqual(Ledger.heldOf(other), heldAccount)
    assert.notStrictEqual<string>(heldAccount, available)
  })
})

/** One step: an event of a request (by number), or a top-up. */
const step = fc.record({
  name: fc.constantFrom("ToppedUp", "Held", "Captured", "Released", "Reverted"),
  account: fc.constantFrom(accountId, AccountId.make("acc_fedcba9876543210")),
  request: fc.nat({ max: 9 }),
  amount: fc.bigInt({ min: 0n, max: 10n ** 15n }),
  /** The charge for a hold of 100. */
  share: fc.bigInt({ min: 0n, max: 100n })
})
type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never

const play = (
  steps: ReadonlyArray<Step>,
  each: (
    entries: ReadonlyArray<Ledger.Entry>,
    balances: ReadonlyMap<Ledger.LedgerAccount, bigint>,
    holds: ReadonlyMap<number, Ledger.Hold>
  ) => void
) => {
  const holds = new Map<number, Ledger.Hold>()
  const balances = new Map<Ledger.LedgerAccount, bigint>()
  for (const { account, amount, name, request, share } of steps) {
    const hold = holds.get(request)
    // A request has one hold and one end.
    if (name === "Held" ? hold !== undefined : name !== "ToppedUp" && hold === undefined) continue
    const events: Record<Step["name"], Ledger.MoneyEvent> = {
      ToppedUp: { _tag: "ToppedUp", accountId: account, amount: usd(amount) },
      Held: { _tag: "Held", accountId: account, requestId, amount: usd(amount) },
      Captured: captured(((hold?.amount ?? 0n) * share) / 100n),
      Released: { _tag: "Released", requestId },
      Reverted: { _tag: "Reverted", requestId }
    }
    const entries = Ledger.entriesOf(events[name], hold)
    for (const { account, amount } of entries.flatMap(Ledger.postingsOf))
      balances.set(account, (balances.get(account) ?? 0n) + amount)
    if (name === "Held") holds.set(request, { accountId: account, amount: usd(amount) })
    else if (name !== "ToppedUp") holds.delete(request)
    each(entries, balances, holds)
  }
}

const holds = (each: Parameters<typeof play>[1]) =>
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => play(steps, each)),
    { numRuns: 1_000 }
  )

const sumOf = (holds: ReadonlyArray<Ledger.Hold>) => total(holds.map(({ amount }) => amount))

describe("After any sequence of events", () => {
  it("the postings of each sum to zero, and so do all balances", () => {
    holds((entries, balances) => {
      assert.strictEqual(sum(entries.flatMap(Ledger.postingsOf)), 0n)
      assert.strictEqual(total(balances.values()), 0n)
    })
  })

  it("the held amount of a customer is the sum of the holds of open requests", () => {
    holds((_, balances, open) => {
      for (const customer of [accountId, AccountId.make("acc_fedcba9876543210")]) {
        const amounts = [...open.values()].filter(({ accountId }) => accountId === customer)
        assert.strictEqual(balances.get(Ledger.heldOf(customer)) ?? 0n, sumOf(amounts))
      }
    })
  })

  it("no money comes from revenue or leaves the system", () => {
    holds((_, balances) => {
      assert.isTrue((balances.get(revenue) ?? 0n) >= 0n)
      assert.isTrue((balances.get(external) ?? 0n) <= 0n)
    })
  })

  it("every entry moves a positive amount from one account to another", () => {
    holds((entries) => {
      for (const { amount, credit, debit } of entries) {
        assert.isTrue(amount > 0n)
        assert.notStrictEqual(credit, debit)
      }
    })
  })
})
