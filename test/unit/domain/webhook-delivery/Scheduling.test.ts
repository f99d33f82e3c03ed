/** Scheduling a delivery and claiming its attempts. */
import { describe, it } from "@effect/vitest"
import * as WebhookDelivery from "#domain/webhook-delivery/WebhookDelivery.ts"
import { given } from "#test/support/Scenario.ts"
import * as Phases from "#test/support/domain/webhook-delivery/Phases.ts"
import * as Story from "#test/support/domain/webhook-delivery/Story.ts"

const { aggregate } = WebhookDelivery

describe("A delivery that is scheduled", () => {
  it("is due at once", () => {
    given(aggregate)
      .when(Story.schedule())
      .expectEvents(Story.scheduled)
      .expectView(Story.phase, { _tag: "Pending", nextAttemptAt: 1_000, trigger: "schedule" })
      .when(Story.start(1_000))
      .expectEvents(Story.started(1, 1_000))
  })

  it("begins at once on a node with room", () => {
    given(aggregate)
      .when(Story.schedule("node-2"))
      .expectEvents(Story.scheduled, Story.started(1, 1_000, "node-2"))
      .expectView(Story.phase, { _tag: "Delivering", attempt: 1, node: "node-2" })
  })

  it("is scheduled once, whatever its state", () => {
    const { "not scheduled": _, ...scheduled } = Phases.all
    for (const events of Object.values(scheduled)) {
      for (const node of [null, "node-2"]) {
        given(aggregate, events).when(Story.schedule(node)).expectNothing()
      }
    }
  })

  it("keeps its first body and address", () => {
    const other = {
      ...Story.delivery,
      url: "https://example.org/",
      payloads: { body: { hash: "x", size: 1 } }
    }
    given(aggregate, Phases.all.pending)
      .when({ _tag: "Schedule", delivery: other, node: null })
      .expectNothing()
      .expectView(
        Story.ofDelivery(({ scheduled }) => scheduled),
        { _tag: "DeliveryScheduled", ...Story.delivery }
      )
  })
})

describe("An attempt", () => {
  it("is claimed at its time and not a ms earlier", () => {
    const waiting = given(aggregate, Phases.all["waiting to retry"])
    waiting.when(Story.start(10_999)).expectRejection("AttemptNotDue")
    waiting.when(Story.start(11_000)).expectEvents(Story.started(2, 11_000))
    waiting.when(Story.start(900_000_000)).expectEvents(Story.started(2, 900_000_000))
  })

  it("is claimed by one node", () => {
    given(aggregate, Phases.all.pending)
      .when(Story.start(2_000, "node-1"))
      .expectEvents(Story.started(1, 2_000, "node-1"))
      .when(Story.start(2_000, "node-2"))
      .expectRejection("AttemptNotDue")
      .expectView(Story.phase, { _tag: "Delivering", attempt: 1, node: "node-1" })
      .when(Story.start(2_000, "node-1"))
      .expectRejection("AttemptNotDue")
  })

  it("is not claimed for an ended delivery, however late", () => {
    for (const events of Object.values({ ...Phases.over, ...Phases.erased })) {
      given(aggregate, events).when(Story.start(900_000_000)).expectRejection("AttemptNotDue")
    }
  })

  it("is not claimed after the body is erased, even without another event", () => {
    given(aggregate, [...Phases.all.pending, Story.erased(2_000)])
      .when(Story.start(3_000))
      .expectRejection("AttemptNotDue")
  })
})
