/** When the timeline of an ended request is read again. */
import { assert, describe, it } from "@effect/vitest"
import * as NextLook from "#console/views/requests/one/NextLook.ts"
import type { State } from "#console/views/requests/timeline/Entry.ts"
import { at, event } from "./Timelines.ts"

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

describe("The next look at a timeline", () => {
  it("comes soon after the next attempt is due", () => {
    const entries = after("AttemptFailed", delivery("pending", at(5_120)))
    assert.strictEqual(NextLook.of(entries, at(120)), 5_500)
    assert.strictEqual(NextLook.of(entries, at(-86_400_000)), 60_000)
  })

  it("comes at growing distances during an attempt", () => {
    const entries = after("AttemptStarted", delivery("delivering", null))
    const looks = [120]
    while ((looks.at(-1) ?? 0) < 30_000) {
      const last = looks.at(-1) ?? 0
      looks.push(last + (NextLook.of(entries, at(last)) ?? Infinity))
    }
    assert.deepStrictEqual(looks.slice(0, 3), [120, 620, 1_120])
    assert.isAtMost(looks.length, 9)
    assert.strictEqual(NextLook.of(entries, at(86_400_000)), 60_000)
  })

  it("waits for the delivery of a webhook that is not scheduled yet, for a minute", () => {
    assert.strictEqual(NextLook.of(ended, at(150)), 500)
    assert.isNull(NextLook.of(ended, at(60_100)))
    assert.isNull(NextLook.of([event(0, "RequestSubmitted"), ...ended.slice(1)], at(150)))
  })

  it("does not come once everything is delivered or given up", () => {
    assert.isNull(NextLook.of(after("AttemptSucceeded", delivery("delivered", null)), at(150)))
    assert.isNull(NextLook.of(after("DeliveryFailed", delivery("failed", null)), at(150)))
  })
})
