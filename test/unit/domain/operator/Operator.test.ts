import { assert, describe, it } from "@effect/vitest"
import * as Operator from "#domain/operator/Operator.ts"
import { allows, Role } from "#domain/operator/Role.ts"
import { given } from "#test/support/Scenario.ts"

const { aggregate, isValid } = Operator

const operator = { at: 1_000, name: "ada", role: "owner", secretHash: "first", expiresAt: 9_000 } as const
const created = { _tag: "OperatorCreated", ...operator } as const
const revoked = (at: number) => ({ _tag: "OperatorRevoked", at }) as const

const valid = (now: number) => (state: Operator.State) => state._tag === "Operator" && isValid(state, now)
const facts = (state: Operator.State) =>
  state._tag === "Operator" ? [state.role, state.secretHash, state.expiresAt, state.revokedAt] : []

describe("An operator", () => {
  it("is created once", () => {
    given(aggregate).when({ _tag: "Create", operator }).expectEvents(created).expectState(valid(1_000))
    given(aggregate, [created])
      .when({ _tag: "Create", operator: { ...operator, secretHash: "other" } })
      .expectNothing()
  })

  it("changes its role, and the same role is no event", () => {
    given(aggregate, [created])
      .when({ _tag: "ChangeRole", at: 2_000, role: "viewer" })
      .expectEvents({ _tag: "OperatorRoleChanged", at: 2_000, role: "viewer" })
      .expectView(facts, ["viewer", "first", 9_000, null])
      .when({ _tag: "ChangeRole", at: 3_000, role: "viewer" })
      .expectNothing()
  })

  it("keeps no previous secret, and gets a new expiry only if one is given", () => {
    given(aggregate, [created])
      .when({ _tag: "RotateKey", at: 2_000, secretHash: "second" })
      .expectView(facts, ["owner", "second", 9_000, null])
      .when({ _tag: "RotateKey", at: 10_000, secretHash: "third", expiresAt: null })
      .expectView(facts, ["owner", "third", null, null])
      .expectState(valid(10_000))
  })

  it("expires", () => {
    given(aggregate, [created]).expectView(
      (state) => [valid(8_999)(state), valid(9_000)(state)],
      [true, false]
    )
  })

  it("is revoked for good", () => {
    given(aggregate, [created, revoked(2_000)])
      .when({ _tag: "Revoke", at: 3_000 })
      .expectNothing()
      .expectView(valid(2_000), false)
    for (const command of [
      { _tag: "ChangeRole", at: 3_000, role: "viewer" },
      { _tag: "RotateKey", at: 3_000, secretHash: "second" }
    ] as const) {
      given(aggregate, [created, revoked(2_000)])
        .when(command)
        .expectRejection("OperatorEnded")
      given(aggregate).when(command).expectRejection("OperatorNotFound")
    }
  })
})

describe("Roles", () => {
  it("include what a viewer may, and only the owner's include all", () => {
    const matrix = Role.literals.map((role) => Role.literals.filter((required) => allows(role, required)))
    assert.deepStrictEqual(matrix, [
      ["viewer"],
      ["viewer", "operator"],
      ["viewer", "auditor"],
      ["viewer", "operator", "auditor", "owner"]
    ])
  })
})
