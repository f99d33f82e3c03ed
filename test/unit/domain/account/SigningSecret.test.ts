import { assert, describe, it } from "@effect/vitest"
import * as Account from "#domain/account/Account.ts"
import type { Command } from "#domain/account/Command.ts"
import type { State } from "#domain/account/State.ts"
import * as SigningSecret from "#domain/account/SigningSecret.ts"
import { given } from "#test/support/Scenario.ts"
import { erased, opened } from "#test/support/domain/account/AccountFacts.ts"

const { aggregate } = Account
const day = SigningSecret.defaultGraceMs

const ensure = (at: number, sealed: string): Command => ({ _tag: "EnsureSigningSecret", at, sealed })
const rotate = (at: number, sealed: string, useless: ReadonlyArray<string> = [], graceMs = day): Command => ({
  _tag: "RotateSigningSecret",
  at,
  sealed,
  useless,
  graceMs
})
type Rotated = SigningSecret.SigningSecretRotated
const first = (at: number, sealed: string): Rotated => ({ _tag: "SigningSecretRotated", at, sealed })
const next = (at: number, sealed: string): Rotated => ({
  _tag: "SigningSecretRotated",
  at,
  sealed,
  previousExpiresAt: at + day
})

const secrets = (state: State) =>
  state._tag === "Account"
    ? state.signingSecrets.map(({ expiresAt, sealed }): readonly [string, number | null] => [
        sealed,
        expiresAt
      ])
    : []

describe("The signing secret of an account", () => {
  it("is created once", () => {
    given(aggregate, [opened])
      .when(ensure(2_000, "a"))
      .expectEvents(first(2_000, "a"))
      .expectView(secrets, [["a", null]])
      .when(ensure(2_001, "b"))
      .expectNothing()
  })

  it("is not created after a rotation", () => {
    given(aggregate, [opened])
      .when(rotate(2_000, "a"))
      .expectEvents(first(2_000, "a"))
      .when(ensure(2_000 + 2 * day, "b"))
      .expectNothing()
      .expectView(secrets, [["a", null]])
  })

  it("is current at once, and the previous one signs for 24 more hours", () => {
    given(aggregate, [opened, first(2_000, "a")])
      .when(rotate(5_000, "b"))
      .expectEvents(next(5_000, "b"))
      .expectView(secrets, [
        ["b", null],
        ["a", 5_000 + 86_400_000]
      ])
  })

  it("expires at its time, whatever rotations follow", () => {
    given(aggregate, [opened, first(2_000, "a")])
      .when(rotate(5_000, "b"))
      .when(rotate(6_000, "c"))
      .expectView(secrets, [
        ["c", null],
        ["b", 6_000 + day],
        ["a", 5_000 + day]
      ])
  })

  it("is dropped at the first rotation after it has expired", () => {
    const rotated = given(aggregate, [opened, first(2_000, "a"), next(5_000, "b")])
    rotated.when(rotate(5_000 + day - 1, "c")).expectView(secrets, [
      ["c", null],
      ["b", 5_000 + 2 * day - 1],
      ["a", 5_000 + day]
    ])
    rotated.when(rotate(5_000 + day, "c")).expectView(secrets, [
      ["c", null],
      ["b", 5_000 + 2 * day]
    ])
  })

  it("is valid until the millisecond at which it expires", () => {
    assert.isTrue(SigningSecret.isValid({ sealed: "a", expiresAt: 5_000 }, 4_999))
    assert.isFalse(SigningSecret.isValid({ sealed: "a", expiresAt: 5_000 }, 5_000))
    assert.isTrue(SigningSecret.isValid({ sealed: "a", expiresAt: null }, Number.MAX_SAFE_INTEGER))
  })

  it("is dropped as the oldest if more than ten would be valid", () => {
    const ten = Array.from({ length: 9 }, (_, number) => next(3_000 + number, `after ${number}`))
    given(aggregate, [opened, first(2_000, "a"), ...ten])
      .when(rotate(4_000, "eleventh"))
      .expectEvents({ ...next(4_000, "eleventh"), dropped: ["a"] })
      .expectState((state) => secrets(state).length === 10)
      .when(rotate(4_001, "twelfth"))
      .expectEvents({ ...next(4_001, "twelfth"), dropped: ["after 0"] })
      .expectState((state) => secrets(state).length === 10)
      .when(rotate(3_002 + day, "thirteenth"))
      .expectEvents(next(3_002 + day, "thirteenth"))
  })

  it("ends at once after a rotation without grace, whatever its time", () => {
    given(aggregate, [opened, first(2_000, "a"), next(5_000, "b")])
      .when(rotate(6_000, "c", [], 0))
      .expectEvents({ ...first(6_000, "c"), dropped: ["b", "a"] })
      .expectView(secrets, [["c", null]])
  })

  it("ends with the grace of a rotation, or at its own time if that is earlier", () => {
    given(aggregate, [opened, first(2_000, "a"), next(5_000, "b")])
      .when(rotate(6_000, "c", [], 1_000))
      .expectView(secrets, [
        ["c", null],
        ["b", 7_000],
        ["a", 7_000]
      ])
      .when(rotate(6_500, "d"))
      .expectView(secrets, [
        ["d", null],
        ["c", 6_500 + day],
        ["b", 7_000],
        ["a", 7_000]
      ])
  })

  it("that is unreadable is dropped if there would be too many", () => {
    const others = Array.from({ length: 9 }, (_, number) => `after ${number}`)
    const ten = [opened, first(2_000, "a"), ...others.map((sealed, number) => next(3_000 + number, sealed))]
    const newestFirst = [...others.toReversed(), "a"]
    given(aggregate, ten)
      .when(rotate(4_000, "new", [...others, "a"]))
      .expectEvents({ ...first(4_000, "new"), dropped: newestFirst })
      .expectView(secrets, [["new", null]])
    given(aggregate, ten)
      .when(rotate(4_000, "new", ["a"]))
      .expectEvents({ ...next(4_000, "new"), dropped: ["a"] })
      .expectState((state) => secrets(state).length === 10)
      .when(rotate(4_000, "newer", ["a"]))
      .expectEvents({ ...next(4_000, "newer"), dropped: ["after 0"] })
  })

  it("that is unreadable stays while there is room, because it may become readable", () => {
    given(aggregate, [opened, first(2_000, "a"), next(5_000, "b")])
      .when(rotate(6_000, "c", ["b"]))
      .expectEvents(next(6_000, "c"))
      .expectView(secrets, [
        ["c", null],
        ["b", 6_000 + day],
        ["a", 5_000 + day]
      ])
  })

  it("is not dropped for an unreadable one that the account does not have", () => {
    given(aggregate, [opened, first(2_000, "a")])
      .when(rotate(5_000, "b", ["another", ""]))
      .expectEvents(next(5_000, "b"))
      .expectView(secrets, [
        ["b", null],
        ["a", 5_000 + day]
      ])
  })

  it("requires an account", () => {
    given(aggregate).when(ensure(2_000, "a")).expectRejection("AccountNotFound")
    given(aggregate).when(rotate(2_000, "a")).expectRejection("AccountNotFound")
  })

  it("of a closed account stays and is not rotated; if missing, one is created for its last webhooks", () => {
    given(aggregate, [opened, first(2_000, "a"), erased])
      .when(rotate(4_000, "b"))
      .expectRejection("AccountClosed")
      .when(ensure(4_000, "b"))
      .expectNothing()
      .expectView(secrets, [["a", null]])
    given(aggregate, [opened, erased])
      .when(rotate(4_000, "a"))
      .expectRejection("AccountClosed")
      .when(ensure(4_000, "a"))
      .expectEvents(first(4_000, "a"))
  })
})
