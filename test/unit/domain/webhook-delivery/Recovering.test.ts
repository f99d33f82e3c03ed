/** Sends failed deliveries again (decisions, "More routes"). */
import { describe, it } from "@effect/vitest"
import { aggregate } from "#domain/webhook-delivery/WebhookDelivery.ts"
import { given } from "#test/support/Scenario.ts"
import * as Phases from "#test/support/domain/webhook-delivery/Phases.ts"
import * as Story from "#test/support/domain/webhook-delivery/Story.ts"

const at = 900_000_000

const { delivered, ...failed } = Phases.over

describe("A recovery", () => {
  it("makes a failed delivery due at once, however it failed, with all its attempts", () => {
    for (const events of Object.values(failed)) {
      given(aggregate, events)
        .when(Story.recover(at, "recovery-2"))
        .expectEvents(Story.recovered(at, "recovery-2"))
        .expectView(Story.phase, { _tag: "Pending", nextAttemptAt: at, trigger: "recover" })
        .expectView(
          Story.ofDelivery(({ used }) => used),
          0
        )
    }
  })

  it("ignores deliveries that succeeded, wait, or are being sent", () => {
    const { delivering, pending } = Phases.all
    for (const events of [
      delivered,
      pending,
      delivering,
      Phases.all["waiting to retry"],
      Phases.all["replayed after failure"],
      Phases.all["recovered after failure"]
    ]) {
      given(aggregate, events).when(Story.recover(at, "recovery-2")).expectNothing()
    }
  })

  it("ignores erased deliveries", () => {
    for (const events of Object.values(Phases.erased)) {
      given(aggregate, events).when(Story.recover(at)).expectNothing()
    }
  })

  it("sends a delivery again once: if it fails again, it waits for another recovery", () => {
    const events = Phases.over["recovered, and failed again"]
    given(aggregate, events).when(Story.recover(at, "recovery-1")).expectNothing()
    given(aggregate, events)
      .when(Story.recover(at, "recovery-2"))
      .expectEvents(Story.recovered(at, "recovery-2"))
  })

  it("is remembered across a replay", () => {
    given(aggregate, [
      ...Phases.over["recovered, and failed again"],
      Story.replayed(6_000),
      Story.started(3, 6_000),
      Story.failed(3, 7_000, null, Story.failures.gone),
      Story.givenUp(7_000, "gone")
    ])
      .when(Story.recover(at, "recovery-1"))
      .expectNothing()
  })
})
