/** Holds and top-ups, forged by someone who knows the log's format. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as AuditedLog from "#test/support/src/features/billing/audit/AuditedLog.ts"
import * as ForgedLog from "#test/support/src/features/billing/audit/ForgedLog.ts"
import {
  account,
  change,
  copy,
  fails,
  forged,
  quoted,
  removed,
  shareLog
} from "#test/support/src/features/billing/audit/TamperedCopies.ts"

shareLog()

describe("An audit of forged events", () => {
  it.live("passes when nothing was changed", () =>
    Effect.gen(function* () {
      const directory = yield* copy
      ForgedLog.rewrite(directory, (log) => ForgedLog.find(log, "RequestCompleted", "charged"))
      const { readModel } = yield* AuditedLog.audit(directory)
      assert.strictEqual(readModel._tag, "Agrees")
    }).pipe(Effect.scoped)
  )

  it.live("passes quotes of earlier versions, whose runs could round to zero", () =>
    Effect.gen(function* () {
      const directory = yield* copy
      ForgedLog.rewrite(directory, quoted("charged", { minimumCharge: "0" }))
      ForgedLog.rewrite(directory, quoted("free", { unitPrice: "1", maxQuantity: "0" }))
      assert.isAbove((yield* AuditedLog.audit(directory)).events, 0)
    }).pipe(Effect.scoped)
  )

  describe("holds", () => {
    forged(
      "more than the quote says",
      quoted("open", { hold: "8000001" }),
      "hold as quoted",
      /\$0.008000001 is held, the quote says \$0.008/
    )
    forged("nothing", quoted("charged", { hold: "0" }), "hold as quoted", /\$0 is held/)
    forged(
      "by a negative price",
      quoted("open", { unitPrice: "-2000000", hold: "0" }),
      "hold as quoted",
      /negative/
    )
    forged(
      "without a submit",
      removed("RequestSubmitted", "charged", (log) => ForgedLog.find(log, "DispatchStarted", "charged")),
      "submitted first",
      /does not begin with its submit/
    )
    forged(
      "by a second submit",
      (log) => {
        const submit = ForgedLog.find(log, "RequestSubmitted", "charged")
        const end = ForgedLog.find(log, "RequestCompleted", "charged")
        return ForgedLog.insertAfter(log, end, { type: "RequestSubmitted", data: submit.data })
      },
      "submitted first",
      /a second time/
    )
    forged(
      "submit and claim that changed places",
      (log) => {
        const claim = ForgedLog.find(log, "DispatchStarted", "running")
        ForgedLog.swap(log, ForgedLog.find(log, "RequestSubmitted", "running"), claim)
        return claim
      },
      "submitted first",
      /DispatchStarted/
    )
    forged(
      "of an unopened account",
      change("RequestSubmitted", "charged", () => ({ accountId: "acc_nobody" })),
      "open account",
      /acc_nobody was not opened/
    )
  })

  describe("top-ups", () => {
    const acme = account(AuditedLog.acme)
    const amount = (text: string) => change("BalanceToppedUp", acme, () => ({ amount: text }))
    const repeat = (log: ForgedLog.Log) => {
      const paid = ForgedLog.first(log, ({ data }) => data["paymentId"] === "payment-1")
      return ForgedLog.insertAfter(log, paid, { type: "BalanceToppedUp", data: paid.data })
    }
    forged("a negative one", amount("-15000000000"), "positive top-up", /-15000000000 nano-USD/)
    forged("one of nothing", amount("0"), "positive top-up", /the amount is 0/)
    forged("one whose amount is no number", amount("15e9"), "known events", /amount/)
    forged("the same payment twice", repeat, "one top-up per payment", /BalanceToppedUp/)
    forged(
      "one before the account was opened",
      removed("AccountOpened", acme, (log) => ForgedLog.find(log, "BalanceToppedUp", acme)),
      "open account",
      /was not opened/
    )
    forged(
      "one after the account was closed",
      (log) => {
        const first = ForgedLog.find(log, "BalanceToppedUp", acme)
        const closed = ForgedLog.insertAfter(log, first, { type: "AccountErased", data: {} })
        return ForgedLog.insertAfter(log, closed, { type: "BalanceToppedUp", data: first.data })
      },
      "open account",
      /closed/
    )
    forged(
      "one that stands in no account's stream",
      (log) => {
        const first = ForgedLog.find(log, "BalanceToppedUp", acme)
        return ForgedLog.insertAfter(log, first, { ...first, stream: "Gift-1", id: "gift" })
      },
      "known events",
      /neither an account's nor a request's/
    )
    forged(
      "an account that is opened twice",
      (log) => {
        const opened = ForgedLog.find(log, "AccountOpened", acme)
        return ForgedLog.insertAfter(log, opened, { type: "AccountOpened", data: opened.data })
      },
      "open account",
      /twice/
    )
    forged(
      "one at a time that is no date",
      (log) => {
        const paid = ForgedLog.find(log, "BalanceToppedUp", acme)
        paid.time = 8_640_000_000_000_001
        return paid
      },
      "known events",
      /not a valid date/
    )
    forged(
      "an event of an unknown type",
      (log) =>
        ForgedLog.insertAfter(log, ForgedLog.find(log, "AccountOpened", acme), {
          type: "BalanceGiven",
          data: {}
        }),
      "known events",
      /knows no such event/
    )
  })

  it.live("finds a removed top-up through the read model", () =>
    Effect.gen(function* () {
      const directory = yield* copy
      const position = ForgedLog.rewrite(directory, (log) => {
        const paid = ForgedLog.find(log, "BalanceToppedUp", account(AuditedLog.beta))
        // Another event replaces it, so that the log has the length in the read model.
        paid.type = "KeyRevoked"
        paid.data = { keyId: "key_0" }
        return ForgedLog.find(log, "DispatchStarted", "running")
      })
      yield* fails(directory, position, "read model", /balance of acc_\w+beta0 is \$5, by the log \$0/)
    }).pipe(Effect.scoped)
  )
})
