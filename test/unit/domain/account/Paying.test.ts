/** Payments into an account, and its limits. */
import { describe, it } from "@effect/vitest"
import * as Account from "#domain/account/Account.ts"
import type { Command } from "#domain/account/Command.ts"
import type { Event } from "#domain/account/Event.ts"
import { keyOf, type State } from "#domain/account/State.ts"
import * as Grant from "#domain/account/Grant.ts"
import { type Limits, noLimits } from "#domain/account/Limits.ts"
import { AccountId, KeyId } from "#domain/Ids.ts"
import { NanoUsd, zero } from "#domain/Money.ts"
import { given } from "#test/support/Scenario.ts"
import { erased, opened } from "#test/support/domain/account/AccountFacts.ts"

const { aggregate } = Account

const issued = (id: string): Event => ({
  _tag: "KeyIssued",
  at: 1_000,
  keyId: KeyId.make(id),
  name: "a key",
  secretHash: "00ff"
})
const existing = [opened, issued("first"), issued("second")]

const tenDollars = NanoUsd.make(10_000_000_000n)

const topUp = (paymentId: string | null, amount = tenDollars, at = 2_000): Command => ({
  _tag: "TopUp",
  at,
  amount,
  reference: "invoice 7",
  paymentId
})
const toppedUp: Event = {
  _tag: "BalanceToppedUp",
  at: 2_000,
  amount: tenDollars,
  reference: "invoice 7"
}

const limits: Limits = {
  creditLimit: tenDollars,
  maxOpenRequests: 100,
  maxStoredBytes: 5_000,
  accountRate: { requests: 100, windowSeconds: 60 },
  keyRate: { requests: 10, windowSeconds: 1 },
  maxStreams: 20
}
const change = (limits: Limits): Command => ({ _tag: "ChangeLimits", at: 2_000, limits })
const changed = (limits: Limits): Event => ({ _tag: "LimitsChanged", at: 2_000, ...limits })

const erase = (at = 3_000): Command => ({ _tag: "Erase", at })

const ofAccount =
  <View>(look: (account: Extract<State, { readonly _tag: "Account" }>) => View) =>
  (state: State): View => {
    if (state._tag === "NotOpened") throw new Error("The account was not opened")
    return look(state)
  }
const limitsOf = ofAccount(({ limits }) => limits)
const revokedAt = (id: string) => (state: State) => keyOf(state, id)?.revokedAt

describe("A top-up", () => {
  it("costs the same with twenty thousand earlier ones", { timeout: 4_000 }, () => {
    const paid = Array.from({ length: 20_000 }, (_, number): Event => ({
      ...toppedUp,
      paymentId: `pi_${number}`
    }))
    given(aggregate, [...existing, ...paid])
      .when(topUp("pi_19999"))
      .expectNothing()
      .when(topUp("pi_20000"))
      .expectTypes("BalanceToppedUp")
  })

  it("is recorded with its payment's id", () => {
    given(aggregate, existing)
      .when(topUp("pi_1"))
      .expectEvents({ ...toppedUp, paymentId: "pi_1" })
  })

  it("is recorded once per payment, even if repeated later", () => {
    given(aggregate, existing)
      .when(topUp("pi_1"))
      .when(topUp("pi_1", tenDollars, 9_000))
      .expectNothing()
  })

  it("with another amount under the same payment id is rejected and adds nothing", () => {
    given(aggregate, [...existing, { ...toppedUp, paymentId: "pi_1" }])
      .when(topUp("pi_1", NanoUsd.make(1n)))
      .expectRejection("PaymentIdReused")
      .when(topUp("pi_1"))
      .expectNothing()
  })

  it("of another payment is separate, whatever its id", () => {
    given(aggregate, existing)
      .when(topUp("pi_1"))
      .when(topUp("pi_2"))
      .expectEvents({ ...toppedUp, paymentId: "pi_2" })
      .when(topUp("__proto__"))
      .expectEvents({ ...toppedUp, paymentId: "__proto__" })
      .when(topUp("constructor"))
      .expectEvents({ ...toppedUp, paymentId: "constructor" })
  })

  it("without a payment id is recorded each time", () => {
    given(aggregate, existing)
      .when(topUp(null))
      .expectEvents(toppedUp)
      .when(topUp(null))
      .expectEvents(toppedUp)
  })

  it("requires an account", () => {
    given(aggregate).when(topUp("pi_1")).expectRejection("AccountNotFound")
  })
})

describe("The limits of an account", () => {
  it("are the defaults at first", () => {
    given(aggregate, existing).expectView(limitsOf, {
      creditLimit: zero,
      maxOpenRequests: null,
      maxStoredBytes: null,
      accountRate: null,
      keyRate: null,
      maxStreams: null
    })
  })

  it("are changed together", () => {
    given(aggregate, existing)
      .when(change(limits))
      .expectEvents(changed(limits))
      .expectView(limitsOf, limits)
      .when(change(noLimits))
      .expectEvents(changed(noLimits))
      .expectView(limitsOf, noLimits)
  })

  it("default for fields that are newer than the event", () => {
    const { creditLimit, maxOpenRequests } = limits
    given(aggregate, [
      ...existing,
      changed(limits),
      { _tag: "LimitsChanged", at: 3_000, creditLimit, maxOpenRequests }
    ]).expectView(limitsOf, { ...noLimits, creditLimit, maxOpenRequests })
  })

  it("are not changed by equal values", () => {
    given(aggregate, existing).when(change(noLimits)).expectNothing()
    given(aggregate, [...existing, changed(limits)])
      .when(change(limits))
      .expectNothing()
  })

  it("are changed if one of them differs", () => {
    for (const other of [
      { ...limits, creditLimit: zero },
      { ...limits, maxOpenRequests: 99 },
      { ...limits, maxOpenRequests: null },
      { ...limits, maxOpenRequests: 0 },
      { ...limits, maxStoredBytes: 4_999 },
      { ...limits, maxStoredBytes: null },
      { ...limits, maxStoredBytes: 0 }
    ]) {
      given(aggregate, [...existing, changed(limits)])
        .when(change(other))
        .expectEvents(changed(other))
    }
  })

  it("require an account", () => {
    given(aggregate).when(change(limits)).expectRejection("AccountNotFound")
  })
})

describe("An account that is erased", () => {
  it("is closed with all its keys revoked, earlier revocations at their own time", () => {
    given(aggregate, [...existing, { _tag: "KeyRevoked", at: 2_000, keyId: KeyId.make("second") }])
      .when(erase())
      .expectEvents(erased)
      .expectView(revokedAt("first"), 3_000)
      .expectView(revokedAt("second"), 2_000)
      .when({ _tag: "RevokeKey", at: 4_000, keyId: KeyId.make("first") })
      .expectNothing()
      .expectView(revokedAt("first"), 3_000)
  })

  it("accepts no key, payment or limits, before and after its erasure is finished", () => {
    const key = { keyId: KeyId.make("third"), name: "a key", secretHash: "00ff" }
    const finished: Event = { _tag: "AccountErasureFinished", at: 4_000 }
    for (const events of [
      [...existing, erased],
      [...existing, erased, finished]
    ]) {
      for (const command of [
        { _tag: "IssueKey", at: 5_000, key, grant: Grant.unlimited, issuer: null },
        {
          _tag: "RotateKey",
          at: 5_000,
          keyId: KeyId.make("first"),
          secretHash: "11ee",
          graceMs: 0,
          issuer: null
        },
        topUp("pi_1"),
        topUp(null),
        change(limits),
        change(noLimits)
      ] satisfies ReadonlyArray<Command>) {
        given(aggregate, events).when(command).expectRejection("AccountClosed")
      }
    }
  })

  it("cannot be opened again", () => {
    given(aggregate, [...existing, erased])
      .when({
        _tag: "Open",
        at: 5_000,
        accountId: AccountId.make("acc_0123456789abcdef"),
        name: "ACME",
        key: { keyId: KeyId.make("first"), name: "a key", secretHash: "00ff" },
        balance: tenDollars
      })
      .expectNothing()
      .expectView(revokedAt("first"), 3_000)
  })

  it("is erased once, then finished once", () => {
    const finish = { _tag: "RecordErased", at: 4_000 } as const
    given(aggregate, existing)
      .when(finish)
      .expectNothing()
      .when(erase())
      .expectEvents(erased)
      .when(erase(3_500))
      .expectNothing()
      .when(finish)
      .expectEvents({ _tag: "AccountErasureFinished", at: 4_000 })
      .when(finish)
      .expectNothing()
      .when(erase(5_000))
      .expectNothing()
  })

  it("must exist before", () => {
    given(aggregate).when(erase()).expectRejection("AccountNotFound")
    given(aggregate).when({ _tag: "RecordErased", at: 4_000 }).expectRejection("AccountNotFound")
  })
})
