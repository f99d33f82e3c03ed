/** When an ended request changes by itself. */
import { assert, describe, it } from "@effect/vitest"
import { timesOf } from "#console/views/requests/one/DueChanges.ts"
import type { State } from "#console/views/requests/timeline/Entry.ts"
import { at, event } from "#test/support/console/Timelines.ts"

const webhook = { webhook: { url: "https://receiver.example", events: ["completed"] } }

const delivery = (
  status: State["deliveries"][number]["status"],
  nextAttemptAt: number | null
): State["deliveries"][number] => ({
  deliveryId: "msg_1",
  event: "completed",
  status,
  attempts: 1,
  nextAttemptAt: nextAttemptAt === null ? null : new Date(nextAttemptAt).toISOString(),
  lastResponseStatus: null,
  lastError: null
})

const ended = [event(0, "RequestSubmitted", {}, webhook), event(100, "RequestCompleted", { phase: "ended" })]

const after = (type: string, state: State["deliveries"][number]) => [
  ...ended,
  event(110, "DeliveryScheduled", { phase: "ended" }, { deliveryId: "msg_1", event: "completed" }),
  event(120, type, { phase: "ended", deliveries: [state] }, { deliveryId: "msg_1" })
]

describe("A request that has ended", () => {
  it("changes at the next attempt of its delivery", () =>
    assert.deepStrictEqual(timesOf(after("AttemptFailed", delivery("pending", at(5_120))), at(120)), [
      at(5_120)
    ]))

  it("changes while an attempt is under way", () =>
    assert.deepStrictEqual(timesOf(after("AttemptStarted", delivery("delivering", null)), at(9_000)), [
      at(120)
    ]))

  it("waits for the delivery of a webhook that is not scheduled yet, for a minute", () => {
    assert.deepStrictEqual(timesOf(ended, at(150)), [at(100)])
    assert.deepStrictEqual(timesOf(ended, at(60_100)), [])
    assert.deepStrictEqual(timesOf([event(0, "RequestSubmitted"), ...ended.slice(1)], at(150)), [])
  })

  it("does not change once everything is delivered or given up", () => {
    assert.deepStrictEqual(timesOf(after("AttemptSucceeded", delivery("delivered", null)), at(150)), [])
    assert.deepStrictEqual(timesOf(after("DeliveryFailed", delivery("failed", null)), at(150)), [])
  })
})
