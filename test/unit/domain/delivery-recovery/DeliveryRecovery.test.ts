import { assert, describe, it } from "@effect/vitest"
import * as DeliveryRecovery from "#domain/delivery-recovery/DeliveryRecovery.ts"
import { AccountId } from "#domain/Ids.ts"
import { given } from "#test/support/Scenario.ts"

const { aggregate } = DeliveryRecovery

const recovery = {
  at: 9_000,
  accountId: AccountId.make("acc_0123456789abcdef"),
  since: 1_000,
  until: 8_000
}
const requested = { _tag: "RecoveryRequested", ...recovery } as const
const request: DeliveryRecovery.Command = { _tag: "Request", recovery }

const finish = (at: number, replayed: number): DeliveryRecovery.Command => ({ _tag: "Finish", at, replayed })
const finished = (at: number, replayed: number): DeliveryRecovery.Event => ({
  _tag: "RecoveryFinished",
  at,
  replayed
})

describe("A recovery", () => {
  it("is recorded as requested, and not finished", () => {
    given(aggregate)
      .when(request)
      .expectEvents(requested)
      .expectView((state) => state, { _tag: "Recovery", requested, isFinished: false })
  })

  it("is requested once, and keeps its first request", () => {
    for (const events of [[requested], [requested, finished(10_000, 3)]]) {
      given(aggregate, events).when(request).expectNothing()
      given(aggregate, events)
        .when({ _tag: "Request", recovery: { ...recovery, at: 9_500, until: 9_500 } })
        .expectNothing()
        .expectState((state) => state._tag === "Recovery" && state.requested.until === 8_000)
    }
  })

  it("is finished once, with the number of deliveries sent again", () => {
    given(aggregate, [requested])
      .when(finish(10_000, 3))
      .expectEvents(finished(10_000, 3))
      .expectView((state) => state, { _tag: "Recovery", requested, isFinished: true })
      .when(finish(10_000, 3))
      .expectNothing()
      .when(finish(11_000, 4))
      .expectNothing()
  })

  it("may find no deliveries", () => {
    given(aggregate, [requested]).when(finish(10_000, 0)).expectEvents(finished(10_000, 0))
  })

  it("that was not requested cannot be finished", () => {
    given(aggregate).when(finish(10_000, 3)).expectRejection("RecoveryNotFound")
  })

  it("accepts any event on the log in any state", () => {
    const { evolve, initial } = aggregate.decider
    assert.deepStrictEqual(evolve(initial, finished(10_000, 3)), initial)
  })
})
