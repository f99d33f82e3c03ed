import { assert, describe, it } from "@effect/vitest"
import * as Account from "#domain/account/Account.ts"
import type { Command, NewKey } from "#domain/account/Command.ts"
import type { Event } from "#domain/account/Event.ts"
import * as KeySet from "#domain/account/KeySet.ts"
import { keyOf, type State } from "#domain/account/State.ts"
import * as Grant from "#domain/account/Grant.ts"
import { AccountId, KeyId } from "#domain/Ids.ts"
import { NanoUsd, zero } from "#domain/Money.ts"
import { given } from "#test/support/Scenario.ts"

const { aggregate } = Account

const accountId = AccountId.make("acc_0123456789abcdef")
const key = (id: string): NewKey => ({
  keyId: KeyId.make(id),
  name: "a key",
  secretHash: "00ff"
})

const open = (balance: NanoUsd): Command => ({
  _tag: "Open",
  at: 1_000,
  accountId,
  name: "ACME",
  key: key("first"),
  balance
})
const opened: Event = { _tag: "AccountOpened", at: 1_000, accountId, name: "ACME" }
const issued = (id: string): Event => ({ _tag: "KeyIssued", at: 1_000, ...key(id) })
const existing = [opened, issued("first")]

const issue = (id: string, at: number): Command => ({
  _tag: "IssueKey",
  at,
  key: key(id),
  grant: Grant.unlimited,
  issuer: null
})

const revoke = (id: string, at = 2_000): Command => ({ _tag: "RevokeKey", at, keyId: KeyId.make(id) })

const revokedAt = (id: string) => (state: State) => keyOf(state, id)?.revokedAt

describe("An account", () => {
  it("is opened with its first key and balance in one append", () => {
    given(aggregate)
      .when(open(NanoUsd.make(5_000_000_000n)))
      .expectEvents(opened, issued("first"), {
        _tag: "BalanceToppedUp",
        at: 1_000,
        amount: NanoUsd.make(5_000_000_000n),
        reference: "opening balance"
      })
      .expectState(
        (state) => state._tag === "Account" && state.name === "ACME" && KeySet.size(state.keys) === 1
      )
  })

  it("is opened without a top-up if the balance is zero", () => {
    given(aggregate).when(open(zero)).expectEvents(opened, issued("first"))
  })

  it("is opened only once", () => {
    given(aggregate, existing)
      .when(open(NanoUsd.make(1n)))
      .expectNothing()
  })

  it("does not exist before it is opened", () => {
    given(aggregate).when(issue("second", 1_000)).expectRejection("AccountNotFound")
    given(aggregate).when(revoke("first")).expectRejection("AccountNotFound")
  })

  it("accepts further keys, each id once, even after a revocation", () => {
    given(aggregate, existing)
      .when(issue("second", 1_000))
      .expectEvents(issued("second"))
      .when(issue("second", 1_000))
      .expectRejection("KeyExists")
      .when(revoke("second"))
      .when(issue("second", 3_000))
      .expectRejection("KeyExists")
  })

  it("revokes only that key, and only once", () => {
    given(aggregate, [...existing, issued("second")])
      .when(revoke("second"))
      .expectEvents({ _tag: "KeyRevoked", at: 2_000, keyId: KeyId.make("second") })
      .expectView(revokedAt("second"), 2_000)
      .expectView(revokedAt("first"), null)
      .when(revoke("second", 3_000))
      .expectNothing()
      .expectView(revokedAt("second"), 2_000)
  })

  it("rejects the revocation of an unknown key", () => {
    given(aggregate, existing).when(revoke("stranger")).expectRejection("KeyNotFound")
    given(aggregate, existing).when(revoke("__proto__")).expectRejection("KeyNotFound")
  })
})

/** Replaces SHA-256: hex text that differs for different texts. */
const hash = (text: string) => `${text.length.toString(16)}aaaaaaaaaaaaaaaaaaaaaaaa`

describe("The account of a key id", () => {
  it("is contained in the id of an issued key", () => {
    const keyId = Account.makeKeyId(accountId, "abcDEF12")
    assert.strictEqual(keyId, "key_0123456789abcdef_abcDEF12")
    assert.strictEqual(Account.accountOf(keyId, hash), accountId)
  })

  it("is 16 digits of the hash of any other id, always the same", () => {
    for (const keyId of ["operator", "key_0123456789abcdef_short", "key_0123456789ABCDEF_abcDEF12", ""]) {
      const account = Account.accountOf(keyId, hash)
      assert.match(account, /^acc_[0-9a-f]{16}$/)
      assert.strictEqual(Account.accountOf(keyId, hash), account)
      assert.notStrictEqual(account, accountId)
    }
  })
})
