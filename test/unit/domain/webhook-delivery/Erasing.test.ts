/** Erasing the body of a delivery (architecture, "Payloads are not events"). */
import { describe, it } from "@effect/vitest"
import { aggregate } from "#domain/webhook-delivery/WebhookDelivery.ts"
import { given } from "#test/support/Scenario.ts"
import * as Phases from "#test/support/domain/webhook-delivery/Phases.ts"
import * as Story from "#test/support/domain/webhook-delivery/Story.ts"

const at = 900_000_000

const told = Story.ofDelivery(
  ({ attempts, deliveredAt, history, lastError, lastResponseStatus, phase, scheduled }) => ({
    attempts,
    deliveredAt,
    history,
    lastError,
    lastResponseStatus,
    phase,
    scheduled
  })
)

describe("Erasing a delivery", () => {
  it("fails a waiting delivery", () => {
    for (const phase of ["pending", "waiting to retry", "replayed after success"] as const) {
      given(aggregate, Phases.all[phase])
        .when(Story.erase(at))
        .expectEvents(Story.erased(at), Story.givenUp(at, "erased"))
        .expectView(Story.phase, { _tag: "Failed" })
    }
  })

  it("leaves an ended delivery unchanged, except for its body", () => {
    for (const events of Object.values(Phases.over)) {
      given(aggregate, events)
        .when(Story.erase(at))
        .expectEvents(Story.erased(at))
        .expectView(told, told(given(aggregate, events).state))
    }
  })

  it("happens once", () => {
    for (const events of Object.values(Phases.over)) {
      given(aggregate, events)
        .when(Story.erase(at))
        .when(Story.erase(at + 1))
        .expectNothing()
    }
    for (const events of Object.values(Phases.erased)) {
      given(aggregate, events).when(Story.erase(at)).expectNothing()
    }
  })

  it("lets a current attempt end, and succeed", () => {
    given(aggregate, Phases.all.delivering)
      .when(Story.erase(2_500))
      .expectEvents(Story.erased(2_500))
      .expectView(Story.phase, { _tag: "Delivering", attempt: 1, node: "node-1" })
      .when(Story.end(Story.accepted, 1, 3_000))
      .expectEvents(Story.succeeded(1, 3_000))
      .expectView(Story.phase, { _tag: "Delivered", at: 3_000 })
  })

  it("makes the current attempt the last", () => {
    const erased = given(aggregate, Phases.all["delivering, erased"])
    const { gone, privateAddress, unavailable } = Story.failures
    erased
      .when(Story.end(unavailable, 1, 3_000))
      .expectEvents(Story.failed(1, 3_000, null), Story.givenUp(3_000, "erased"))
      .when(Story.start(at))
      .expectRejection("AttemptNotDue")
    erased.when(Story.lose(1, 3_000)).expectEvents(Story.lost(1, 3_000, null), Story.givenUp(3_000, "erased"))
    erased
      .when(Story.end(gone, 1, 3_000))
      .expectEvents(Story.failed(1, 3_000, null, gone), Story.givenUp(3_000, "gone"))
    erased
      .when(Story.end(privateAddress, 1, 3_000))
      .expectEvents(Story.failed(1, 3_000, null, privateAddress), Story.givenUp(3_000, "private_address"))
  })
})
