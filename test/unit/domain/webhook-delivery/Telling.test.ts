/** How a delivery and its attempts are reported (contract, "Webhook delivery record"). */
import { assert, describe, it } from "@effect/vitest"
import type { Event } from "#domain/webhook-delivery/Event.ts"
import { maxHistory } from "#domain/webhook-delivery/State.ts"
import { aggregate } from "#domain/webhook-delivery/WebhookDelivery.ts"
import { given } from "#test/support/Scenario.ts"
import * as Phases from "#test/support/domain/webhook-delivery/Phases.ts"
import * as Story from "#test/support/domain/webhook-delivery/Story.ts"

const record = Story.ofDelivery(
  ({ attempts, deliveredAt, lastError, lastResponseStatus, updatedAt, used }) => ({
    attempts,
    used,
    lastResponseStatus,
    lastError,
    deliveredAt,
    updatedAt
  })
)
const history = Story.ofDelivery(({ history }) => history)

const untold = { attempts: 0, used: 0, lastResponseStatus: null, lastError: null, deliveredAt: null }

describe("A delivery", () => {
  it("reports its attempts as they begin and end", () => {
    given(aggregate)
      .when(Story.schedule())
      .expectView(record, { ...untold, updatedAt: 1_000 })
      .when(Story.start(2_000))
      .expectView(record, { ...untold, attempts: 1, used: 1, updatedAt: 2_000 })
      .when(Story.end(Story.failures.unavailable, 1, 3_000))
      .expectView(record, {
        ...untold,
        attempts: 1,
        used: 1,
        lastResponseStatus: 503,
        lastError: "http_503",
        updatedAt: 3_000
      })
      .when(Story.start(8_000))
      .when(Story.end(Story.failures.silent, 2, 23_000))
      .expectView(record, { ...untold, attempts: 2, used: 2, lastError: "timeout", updatedAt: 23_000 })
      .when(Story.start(53_000))
      .when(Story.end(Story.accepted, 3, 54_000))
      .expectView(record, {
        attempts: 3,
        used: 3,
        lastResponseStatus: 204,
        lastError: null,
        deliveredAt: 54_000,
        updatedAt: 54_000
      })
  })

  it("keeps its time of delivery during a replay, until it is delivered again", () => {
    given(aggregate, Phases.over.delivered)
      .when(Story.replay(5_000))
      .expectView(record, {
        attempts: 1,
        used: 0,
        lastResponseStatus: 204,
        lastError: null,
        deliveredAt: 3_000,
        updatedAt: 5_000
      })
      .when(Story.start(5_000))
      .when(Story.end(Story.failures.gone, 2, 6_000))
      .expectView(record, {
        attempts: 2,
        used: 1,
        lastResponseStatus: 410,
        lastError: "gone",
        deliveredAt: 3_000,
        updatedAt: 6_000
      })
      .when(Story.replay(7_000))
      .when(Story.start(7_000))
      .when(Story.end(Story.accepted, 3, 8_000))
      .expectView(
        Story.ofDelivery(({ deliveredAt }) => deliveredAt),
        8_000
      )
  })

  it("is updated when it is erased", () => {
    given(aggregate, Phases.over.delivered)
      .when(Story.erase(9_000))
      .expectView(
        Story.ofDelivery(({ isErased, updatedAt }) => ({ isErased, updatedAt })),
        { isErased: true, updatedAt: 9_000 }
      )
  })
})

describe("The history of a delivery", () => {
  it("reports when each attempt began, how it ended and why it was made", () => {
    given(aggregate, Phases.all["waiting to retry"])
      .when(Story.start(11_000))
      .when(Story.end(Story.failures.gone, 2, 12_000))
      .when(Story.recover(20_000))
      .when(Story.start(21_000))
      .when(Story.end(Story.failures.silent, 3, 36_000))
      .when(Story.start(41_000))
      .when(Story.end(Story.accepted, 4, 42_000))
      .when(Story.replay(50_000))
      .when(Story.start(51_000))
      .expectView(history, [
        { at: 2_000, responseStatus: 503, durationMs: 40, error: "http_503", trigger: "schedule" },
        { at: 11_000, responseStatus: 410, durationMs: 40, error: "gone", trigger: "schedule" },
        { at: 21_000, responseStatus: null, durationMs: 40, error: "timeout", trigger: "recover" },
        { at: 41_000, responseStatus: 204, durationMs: 40, error: null, trigger: "schedule" },
        { at: 51_000, responseStatus: null, durationMs: null, error: null, trigger: "replay" }
      ])
  })

  it("has the newest hundred attempts, while all are counted", () => {
    assert.strictEqual(maxHistory, 100)
    const events: Array<Event> = [Story.scheduled]
    for (let attempt = 1; attempt <= 105; attempt++) {
      const at = attempt * 10_000
      if (attempt > 1) events.push(Story.replayed(at))
      events.push(Story.started(attempt, at), Story.succeeded(attempt, at + 1_000))
    }
    const { state } = given(aggregate, events)
    const remembered = history(state)
    assert.strictEqual(remembered.length, 100)
    assert.deepStrictEqual(
      remembered.map(({ at }) => at),
      Array.from({ length: 100 }, (_, index) => (index + 6) * 10_000)
    )
    assert.isTrue(remembered.every(({ responseStatus }) => responseStatus === 204))
    assert.strictEqual(record(state).attempts, 105)
  })
})
