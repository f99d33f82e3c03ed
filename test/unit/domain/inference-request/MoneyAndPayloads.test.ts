/** Invariants of a request's money and payloads under any sequence of commands. */
import { assert, describe, it } from "@effect/vitest"
import type { Event } from "#domain/inference-request/Event.ts"
import { RequestId } from "#domain/Ids.ts"
import * as Ledger from "#domain/Ledger.ts"
import { holds, ofType, play, terminalTypes } from "#test/support/domain/inference-request/Lives.ts"
import * as Story from "#test/support/domain/inference-request/Story.ts"

const requestId = RequestId.make("rq-cF_0T3--abcdefghij")
const { accountId } = Story.request

/** The money that an event of the request moves; most events move none. */
const moneyOf = (event: Event): Ledger.MoneyEvent | null => {
  switch (event._tag) {
    case "RequestSubmitted":
      return { _tag: "Held", accountId: event.accountId, requestId, amount: event.quote.hold }
    case "RequestCompleted":
      return { _tag: "Captured", requestId, amount: event.billing.amount }
    case "RequestFailed":
    case "RequestCancelled":
      return { _tag: "Released", requestId }
    case "RequestForceFailed":
      return { _tag: "Reverted", requestId }
    case "DispatchStarted":
    case "ProviderAccepted":
    case "RunTakenOver":
    case "RequestStarted":
    case "ProgressReported":
    case "OutputReceived":
    case "OutputRejected":
    case "MediaStored":
    case "SweepRetried":
    case "CancelRequested":
    case "RequestRequeued":
    case "LateOutcomeIgnored":
    case "PayloadsErased":
    case "ErasedFilesRemoved":
      return null
  }
}

const held: Ledger.Hold = { accountId, amount: Story.quote.hold }

const postings = (log: ReadonlyArray<Event>) =>
  log.flatMap((event) => {
    const money = moneyOf(event)
    return money === null ? [] : Ledger.entriesOf(money, held).flatMap(Ledger.postingsOf)
  })

const sum = (postings: ReadonlyArray<Ledger.Posting>, account?: Ledger.LedgerAccount) =>
  postings
    .filter((posting) => account === undefined || posting.account === account)
    .reduce((sum, { amount }) => sum + amount, 0n)

describe("Under any sequence of commands", () => {
  it("at most one charge is made, within the hold, and only for an output of the same run", () => {
    holds((life) => {
      const { log } = play(life)
      const charges = ofType(log, "RequestCompleted").filter(({ billing }) => billing.status !== "failed")
      assert.isAtMost(charges.length, 1)
      for (const { billing, attempt } of charges) {
        assert.isTrue(billing.amount >= 0n && billing.amount <= Story.quote.hold)
        assert.isTrue(ofType(log, "OutputReceived").some((output) => output.attempt === attempt))
      }
      for (const { billing } of ofType(log, "RequestCompleted")) {
        if (billing.status === "failed") assert.strictEqual(billing.amount, 0n)
      }
    })
  })

  it("a rejected output is not charged", () => {
    holds((life) => {
      const { log } = play(life)
      if (ofType(log, "OutputRejected").length === 0) return
      assert.deepStrictEqual(
        ofType(log, ...terminalTypes).map((end) => end._tag === "RequestCompleted" && end.billing.status),
        ["failed"]
      )
    })
  })

  it("planned files are stored before the charge", () => {
    holds((life) => {
      const { log } = play(life)
      const isPlanned = ofType(log, "OutputReceived").some(({ media }) => media !== undefined)
      for (const { billing } of ofType(log, "RequestCompleted")) {
        if (isPlanned && billing.status !== "failed") {
          assert.strictEqual(ofType(log, "MediaStored").length, 1)
        }
      }
    })
  })

  it("the hold stays until the request ends, and no part of it afterwards", () => {
    holds((life) => {
      const { log } = play(life)
      const isOver = ofType(log, ...terminalTypes).length > 0
      const all = postings(log)
      assert.strictEqual(sum(all, Ledger.heldOf(accountId)), isOver ? 0n : Story.quote.hold)
    })
  })

  it("revenue equals the only charge, and the rest is available again", () => {
    holds((life) => {
      const { log } = play(life)
      if (ofType(log, ...terminalTypes).length === 0) return
      const charged = ofType(log, "RequestCompleted").reduce((sum, { billing }) => sum + billing.amount, 0n)
      const all = postings(log)
      assert.strictEqual(sum(all, "revenue"), charged)
      assert.strictEqual(sum(all, Ledger.availableOf(accountId)), -charged)
    })
  })

  it("an erasure covers every payload on the log, each once, and no payload follows", () => {
    holds((life) => {
      const { log } = play(life)
      const named = log.flatMap((event) => ("payloads" in event ? Object.keys(event.payloads ?? {}) : []))
      const tombstones = ofType(log, "PayloadsErased")
      assert.isAtMost(tombstones.length, 1)
      for (const { erased } of tombstones) assert.deepStrictEqual([...erased].sort(), [...named].sort())
    })
  })

  it("nothing is erased before the end, and files are removed at most once afterwards", () => {
    holds((life) => {
      const { log } = play(life)
      const order = ofType(log, ...terminalTypes, "PayloadsErased", "ErasedFilesRemoved").map(
        ({ _tag }) => _tag
      )
      assert.deepStrictEqual(
        order.slice(1),
        ["PayloadsErased", "ErasedFilesRemoved"].slice(0, Math.max(order.length - 1, 0))
      )
      const [tombstone] = ofType(log, "PayloadsErased")
      if (tombstone?.hasFiles === false) assert.notInclude(order, "ErasedFilesRemoved")
    })
  })
})
