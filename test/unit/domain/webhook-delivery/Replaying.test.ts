/** Sends a delivery again on request (decisions, "Replay"). */
import { describe, it } from "@effect/vitest"
import { aggregate } from "#domain/webhook-delivery/WebhookDelivery.ts"
import { given } from "#test/support/Scenario.ts"
import * as Phases from "#test/support/domain/webhook-delivery/Phases.ts"
import * as Story from "#test/support/domain/webhook-delivery/Story.ts"

const count = Story.ofDelivery(({ attempts, used }) => ({ attempts, used }))

describe("A replay", () => {
  it("makes a delivery due at once, in any state", () => {
    for (const events of [Phases.all["waiting to retry"], ...Object.values(Phases.over)]) {
      const at = 900_000_000
      given(aggregate, events)
        .when(Story.replay(at))
        .expectEvents(Story.replayed(at))
        .expectView(Story.phase, { _tag: "Pending", nextAttemptAt: at, trigger: "replay" })
    }
  })

  it("advances a future retry", () => {
    given(aggregate, Phases.all["waiting to retry"])
      .when(Story.replay(7_000))
      .expectEvents(Story.replayed(7_000))
      .when(Story.start(7_000))
      .expectEvents(Story.started(2, 7_000))
  })

  it("gives a due retry all its attempts again", () => {
    given(aggregate, Phases.all["waiting to retry"])
      .when(Story.replay(11_000))
      .expectEvents(Story.replayed(11_000))
      .expectView(count, { attempts: 1, used: 0 })
  })

  it("is rejected while it is being sent", () => {
    for (const phase of ["delivering", "delivering again"] as const) {
      given(aggregate, Phases.all[phase]).when(Story.replay(9_000)).expectRejection("DeliveryInProgress")
    }
  })

  it("has no effect while it waits to be sent at once", () => {
    given(aggregate, Phases.all.pending).when(Story.replay(1_000)).expectNothing()
    for (const events of [Phases.all["replayed after success"], Phases.all["recovered after failure"]]) {
      given(aggregate, events).when(Story.replay(9_000)).expectNothing()
    }
  })

  it("does not wait for a time from a fast clock", () => {
    given(aggregate, Phases.all.pending)
      .when(Story.replay(999))
      .expectEvents(Story.replayed(999))
      .when(Story.start(999))
      .expectEvents(Story.started(1, 999))
  })

  it("is rejected if the body is erased", () => {
    for (const events of Object.values(Phases.erased)) {
      given(aggregate, events).when(Story.replay(900_000_000)).expectRejection("BodyErased")
    }
  })

  it("has ten attempts, numbered onwards", () => {
    const at = Phases.exhaustedAt + 1_000
    const last = Story.dueAfterAll(9, at)
    const again = [...Phases.exhausted, Story.replayed(at)]
    given(aggregate, again).when(Story.start(at)).expectEvents(Story.started(11, at))
    given(aggregate, [...again, ...Story.failedAttempts(9, at, 11)])
      .when(Story.start(last))
      .expectEvents(Story.started(20, last))
      .expectView(count, { attempts: 20, used: 10 })
      .when(Story.end(Story.failures.unavailable, 20, last))
      .expectEvents(Story.failed(20, last, null), Story.givenUp(last, "exhausted"))
  })

  it("starts the schedule again", () => {
    given(aggregate, [...Phases.exhausted, Story.replayed(Phases.exhaustedAt)])
      .when(Story.start(Phases.exhaustedAt))
      .when(Story.end(Story.failures.unavailable, 11, Phases.exhaustedAt))
      .expectEvents(Story.failed(11, Phases.exhaustedAt, Phases.exhaustedAt + 5_000))
  })

  it("sends the same body to the same address", () => {
    const look = Story.ofDelivery(({ scheduled }) => scheduled)
    for (const events of Object.values(Phases.over)) {
      const { state } = given(aggregate, events)
      given(aggregate, events).when(Story.replay(900_000_000)).expectView(look, look(state))
    }
  })

  it("keeps the reported earlier attempts", () => {
    const look = Story.ofDelivery(({ deliveredAt, history, lastError, lastResponseStatus }) => [
      deliveredAt,
      history,
      lastError,
      lastResponseStatus
    ])
    for (const events of Object.values(Phases.over)) {
      const { state } = given(aggregate, events)
      given(aggregate, events).when(Story.replay(900_000_000)).expectView(look, look(state))
    }
  })
})
