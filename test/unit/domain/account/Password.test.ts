import { describe, it } from "@effect/vitest"
import * as Account from "#domain/account/Account.ts"
import type { Command } from "#domain/account/Command.ts"
import type { Event } from "#domain/account/Event.ts"
import type { State } from "#domain/account/State.ts"
import { given } from "#test/support/Scenario.ts"
import { erased, opened } from "#test/support/domain/account/AccountFacts.ts"

const { aggregate } = Account

const change = (at: number, sealed: string | null): Command => ({ _tag: "ChangePassword", at, sealed })
const changed = (at: number, sealed: string | null): Event => ({ _tag: "PasswordChanged", at, sealed })

const password = (state: State) => (state._tag === "Account" ? state.password : undefined)

describe("The password of an account", () => {
  it("is absent at first, and then the last one set", () => {
    given(aggregate, [opened]).expectView(password, null)
    given(aggregate, [opened])
      .when(change(2_000, "a"))
      .expectEvents(changed(2_000, "a"))
      .expectView(password, "a")
      .when(change(2_001, "b"))
      .expectEvents(changed(2_001, "b"))
      .expectView(password, "b")
  })

  it("is removed once", () => {
    given(aggregate, [opened, changed(2_000, "a")])
      .when(change(2_001, null))
      .expectEvents(changed(2_001, null))
      .expectView(password, null)
      .when(change(2_002, null))
      .expectNothing()
  })

  it("requires an account", () => {
    given(aggregate).when(change(2_000, "a")).expectRejection("AccountNotFound")
    given(aggregate).when(change(2_000, null)).expectRejection("AccountNotFound")
  })

  it("is removed when the account is erased, and cannot be set again", () => {
    const closed = given(aggregate, [opened, changed(2_000, "a"), erased])
    closed.expectView(password, null)
    closed.when(change(4_000, "b")).expectRejection("AccountClosed")
    closed.when(change(4_000, null)).expectRejection("AccountClosed")
  })
})
