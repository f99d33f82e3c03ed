/** Attempts whose node is gone, and reports on ended attempts. */
import { describe, it } from "@effect/vitest"
import { aggregate } from "#domain/webhook-delivery/WebhookDelivery.ts"
import { given } from "#test/support/Scenario.ts"
import * as Phases from "#test/support/domain/webhook-delivery/Phases.ts"
import * as Story from "#test/support/domain/webhook-delivery/Story.ts"

describe("An attempt that is lost", () => {
  it("counts as failed, and the next comes at its usual time", () => {
    given(aggregate, Phases.all.delivering)
      .when(Story.lose(1, 3_000))
      .expectEvents(Story.lost(1, 3_000, 8_000))
      .when(Story.start(8_000, "node-2"))
      .expectEvents(Story.started(2, 8_000, "node-2"))
      .when(Story.lose(2, 9_000, "node-2"))
      .expectEvents(Story.lost(2, 9_000, 39_000))
      .when(Story.start(39_000))
      .when(Story.end(Story.failures.unavailable, 3, 40_000))
      .expectEvents(Story.failed(3, 40_000, 160_000))
  })

  it("ends the delivery if it is the tenth, so no crash loop sends more often", () => {
    const { exhaustedAt: at } = Phases
    given(aggregate, [Story.scheduled, ...Story.failedAttempts(9, 2_000), Story.started(10, at)])
      .when(Story.lose(10, at))
      .expectEvents(Story.lost(10, at, null), Story.givenUp(at, "exhausted"))
      .expectView(Story.phase, { _tag: "Failed" })
  })

  it("is reported as a failed connection, without status or duration", () => {
    given(aggregate, Phases.all.delivering)
      .when(Story.lose(1, 3_000))
      .expectView(
        Story.ofDelivery(({ history, lastError, lastResponseStatus }) => ({
          history,
          lastError,
          lastResponseStatus
        })),
        {
          history: [
            {
              at: 2_000,
              responseStatus: null,
              durationMs: null,
              error: "connection_failed",
              trigger: "schedule"
            }
          ],
          lastError: "connection_failed",
          lastResponseStatus: null
        }
      )
  })

  it("cannot be another node's, an ended or a missing one", () => {
    const again = given(aggregate, Phases.all["delivering again"])
    again.when(Story.lose(2, 9_000, "node-2")).expectNothing()
    again.when(Story.lose(1, 9_000)).expectNothing()
    again.when(Story.lose(3, 9_000)).expectNothing()
    again.when(Story.lose(2, 9_000)).expectEvents(Story.lost(2, 9_000, 14_000))
  })
})

describe("A report of an ended attempt", () => {
  const results = [Story.accepted, ...Object.values(Story.failures)]

  it("has no effect while the delivery waits for a retry", () => {
    for (const result of results) {
      given(aggregate, Phases.all.delivering)
        .when(Story.lose(1, 3_000))
        .when(Story.end(result, 1, 4_000))
        .expectNothing()
    }
  })

  it("has no effect while the next attempt is in progress", () => {
    for (const result of results) {
      given(aggregate, Phases.all["delivering again"])
        .when(Story.end(result, 1, 9_000))
        .expectNothing()
        .expectView(Story.phase, { _tag: "Delivering", attempt: 2, node: "node-1" })
    }
  })

  it("has no effect after the delivery has ended", () => {
    for (const events of Object.values({ ...Phases.over, ...Phases.erased })) {
      for (const result of results) {
        for (const attempt of [1, 2, 10]) {
          given(aggregate, events)
            .when(Story.end(result, attempt, 900_000_000))
            .expectNothing()
        }
      }
    }
  })
})
