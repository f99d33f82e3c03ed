import { assert, describe, it } from "@effect/vitest"
import { ModelEndpoint } from "#domain/ModelEndpoint.ts"
import * as WorkerKey from "#domain/worker-key/WorkerKey.ts"
import { given } from "#test/support/Scenario.ts"

const { aggregate, allows, isValid } = WorkerKey

const key = {
  at: 1_000,
  name: "gpu-box",
  secretHash: "first",
  modelEndpoints: [ModelEndpoint.make("acme/upscale")],
  expiresAt: 9_000
}
const issued = { _tag: "WorkerKeyIssued", ...key } as const
const rotate = { _tag: "Rotate", at: 2_000, secretHash: "second", previousExpiresAt: 3_000 } as const
const rotated = { ...rotate, _tag: "WorkerKeyRotated" } as const
const revoked = (at: number) => ({ _tag: "WorkerKeyRevoked", at }) as const

const valid = (now: number) => (state: WorkerKey.State) => state._tag === "WorkerKey" && isValid(state, now)
const hashes = (state: WorkerKey.State) =>
  state._tag === "WorkerKey" ? [state.secretHash, state.previous?.secretHash ?? null] : []

describe("A worker key", () => {
  it("is issued once", () => {
    given(aggregate).when({ _tag: "Issue", key }).expectEvents(issued).expectState(valid(1_000))
    given(aggregate, [issued])
      .when({ _tag: "Issue", key: { ...key, secretHash: "other" } })
      .expectNothing()
      .expectView(hashes, ["first", null])
  })

  it("takes jobs of its models only, or of all", () => {
    const state = aggregate.decider.evolve(aggregate.decider.initial, issued)
    const all = aggregate.decider.evolve(aggregate.decider.initial, { ...issued, modelEndpoints: null })
    assert.deepStrictEqual(
      [state, all].map((one) =>
        one._tag === "WorkerKey" ? [allows(one, "acme/upscale"), allows(one, "acme/other")] : []
      ),
      [
        [true, false],
        [true, true]
      ]
    )
  })

  it("expires", () => {
    const until = given(aggregate, [issued])
    until.expectView((state) => [valid(8_999)(state), valid(9_000)(state)], [true, false])
    until.when({ ...rotate, at: 9_000 }).expectRejection("WorkerKeyEnded")
  })

  it("keeps the previous secret for a while, and no older one", () => {
    given(aggregate, [issued])
      .when(rotate)
      .expectEvents(rotated)
      .expectView(hashes, ["second", "first"])
      .when({ ...rotate, at: 2_500, secretHash: "third", previousExpiresAt: 2_500 })
      .expectView(hashes, ["third", null])
  })

  it("is revoked once and permanently", () => {
    given(aggregate, [issued])
      .when({ _tag: "Revoke", at: 2_000 })
      .expectEvents(revoked(2_000))
      .expectState((state) => !valid(2_000)(state))
      .when({ _tag: "Revoke", at: 3_000 })
      .expectNothing()
      .when(rotate)
      .expectRejection("WorkerKeyEnded")
  })

  it("that was never issued is neither rotated nor revoked", () => {
    given(aggregate).when(rotate).expectRejection("WorkerKeyNotFound")
    given(aggregate).when({ _tag: "Revoke", at: 2_000 }).expectRejection("WorkerKeyNotFound")
  })

  it("accepts any event on the log in any state", () => {
    const { evolve, initial } = aggregate.decider
    assert.deepStrictEqual(
      [rotated, revoked(1)].map((event) => evolve(initial, event)),
      [initial, initial]
    )
    const twice = [issued, revoked(2_000), revoked(3_000)].reduce(evolve, initial)
    assert.isTrue(twice._tag === "WorkerKey" && twice.revokedAt === 2_000)
  })
})
