/** When failed attempts are retried, and when they are not (contract, "Success and retry rules"). */
import { assert, describe, it } from "@effect/vitest"
import * as DeliverySchedule from "#domain/webhook-delivery/DeliverySchedule.ts"
import { aggregate } from "#domain/webhook-delivery/WebhookDelivery.ts"
import { given } from "#test/support/Scenario.ts"
import * as Phases from "#test/support/domain/webhook-delivery/Phases.ts"
import * as Story from "#test/support/domain/webhook-delivery/Story.ts"

const { failures } = Story

/** Attempt `attempt` in progress since `at`, after the failures before it. */
const underWay = (attempt: number, at: number) => [
  Story.scheduled,
  ...Story.failedAttempts(attempt - 1, 1_000),
  Story.started(attempt, at)
]

describe("The schedule", () => {
  it("has the contract's ten attempts", () => {
    assert.deepStrictEqual(DeliverySchedule.delays, Story.delays)
    assert.strictEqual(DeliverySchedule.attempts, 10)
    assert.strictEqual(DeliverySchedule.attemptTimeoutMs, 15_000)
  })

  for (const [index, delay] of Story.delays.entries()) {
    const attempt = index + 1

    it(`schedules the next attempt exactly ${delay / 1_000} s after attempt ${attempt} failed`, () => {
      const begun = Story.dueAfterAll(index, 1_000)
      const at = begun + 14_999
      const due = at + delay
      const waiting = given(aggregate, underWay(attempt, begun))
        .when(Story.end(failures.unavailable, attempt, at))
        .expectEvents(Story.failed(attempt, at, due))
        .expectView(Story.phase, { _tag: "Pending", nextAttemptAt: due, trigger: "schedule" })
      waiting.when(Story.start(due - 1)).expectRejection("AttemptNotDue")
      waiting.when(Story.start(due)).expectEvents(Story.started(attempt + 1, due))
    })
  }

  it("ends with the tenth failure", () => {
    const { exhaustedAt: at } = Phases
    given(aggregate, underWay(10, at))
      .when(Story.end(failures.unavailable, 10, at))
      .expectEvents(Story.failed(10, at, null), Story.givenUp(at, "exhausted"))
      .expectView(Story.phase, { _tag: "Failed" })
      .when(Story.start(at + 900_000_000))
      .expectRejection("AttemptNotDue")
  })

  it("is independent of a late start of an attempt", () => {
    given(aggregate, [...Phases.all["waiting to retry"], Story.started(2, 600_000)])
      .when(Story.end(failures.unavailable, 2, 610_000))
      .expectEvents(Story.failed(2, 610_000, 640_000))
  })

  it.each(["unavailable", "silent", "moved", "unresolved"] as const)(
    "continues after a failure: %s",
    (name) => {
      given(aggregate, Phases.all.delivering)
        .when(Story.end(failures[name], 1, 3_000))
        .expectEvents(Story.failed(1, 3_000, 8_000, failures[name]))
    }
  )
})

describe("A delivery fails permanently", () => {
  it.each([
    ["gone", failures.gone],
    ["private_address", failures.privateAddress]
  ] as const)("if its receiver is: %s", (reason, failure) => {
    for (const attempt of [1, 2, 9, 10]) {
      const begun = Story.dueAfterAll(attempt - 1, 1_000)
      given(aggregate, underWay(attempt, begun))
        .when(Story.end(failure, attempt, begun))
        .expectEvents(Story.failed(attempt, begun, null, failure), Story.givenUp(begun, reason))
        .expectView(Story.phase, { _tag: "Failed" })
    }
  })
})

describe("An attempt that succeeds", () => {
  it.each([200, 201, 204, 299])("with %i ends the delivery", (responseStatus) => {
    given(aggregate, Phases.all.delivering)
      .when(Story.end({ _tag: "Succeeded", responseStatus }, 1, 3_000))
      .expectEvents({ _tag: "AttemptSucceeded", at: 3_000, attempt: 1, responseStatus, durationMs: 40 })
      .expectView(Story.phase, { _tag: "Delivered", at: 3_000 })
      .when(Story.start(900_000_000))
      .expectRejection("AttemptNotDue")
  })

  it("may be the tenth", () => {
    const { exhaustedAt: at } = Phases
    given(aggregate, underWay(10, at))
      .when(Story.end(Story.accepted, 10, at))
      .expectEvents(Story.succeeded(10, at))
      .expectView(Story.phase, { _tag: "Delivered", at })
  })
})
