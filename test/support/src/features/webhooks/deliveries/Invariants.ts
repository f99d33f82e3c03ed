/**
 * The invariants of deliveries at rest, whatever happened before (security, "Invariants after every crash or seed").
 */
import { assert } from "@effect/vitest"
import * as DeliverySchedule from "#domain/webhook-delivery/DeliverySchedule.ts"
import type { RecordedEvent } from "#streams/RecordedEvent.ts"
import * as StreamName from "#streams/StreamName.ts"
import type { Post } from "#test/support/WebhookReceiver.ts"

const ends: ReadonlySet<string> = new Set(["AttemptSucceeded", "AttemptFailed", "AttemptLost"])

const begins: ReadonlySet<string> = new Set(["DeliveryScheduled", "ReplayRequested"])

const isStart = ({ type }: RecordedEvent) => type === "AttemptStarted"

/** Attempts of each schedule: the first one, and that of each replay. */
const attemptsPerSchedule = (events: ReadonlyArray<RecordedEvent>): ReadonlyArray<number> => {
  const counts: Array<number> = []
  for (const event of events) {
    if (begins.has(event.type)) counts.push(0)
    else if (isStart(event)) counts.push((counts.pop() ?? 0) + 1)
  }
  return counts
}

/** No attempt begins before the previous one has ended and before it is due. */
const checkOrder = (id: string, events: ReadonlyArray<RecordedEvent>) => {
  let dueAt: unknown = 0
  let isUnderWay = false
  for (const { data, time, type } of events) {
    if (type === "AttemptStarted") {
      assert.isFalse(isUnderWay, `${id} has one attempt at a time`)
      assert.isAtLeast(time, Number(dueAt), `an attempt of ${id} is not early`)
      isUnderWay = true
    }
    if (ends.has(type)) {
      assert.isTrue(isUnderWay, `each attempt of ${id} ends once`)
      isUnderWay = false
      dueAt = data["nextAttemptAt"]
    }
    if (type === "ReplayRequested") dueAt = time
  }
  assert.isFalse(isUnderWay, `nobody is at ${id} any more`)
}

/** For a delivered one, by the log and by what its receiver got. */
export const checkDelivered = (events: ReadonlyArray<RecordedEvent>, posts: ReadonlyArray<Post>) => {
  const id = StreamName.idOf(events[0]?.stream ?? StreamName.make("WebhookDelivery", "none"))
  assert.strictEqual(events.filter(({ type }) => type === "DeliveryScheduled").length, 1, `${id} is one`)
  const started = events.filter(isStart)
  assert.deepStrictEqual(
    started.map(({ data }) => data["attempt"]),
    started.map((_, index) => index + 1),
    `attempts of ${id}`
  )
  for (const count of attemptsPerSchedule(events)) assert.isAtMost(count, DeliverySchedule.attempts, id)
  checkOrder(id, events)
  assert.strictEqual(events.at(-1)?.type, "AttemptSucceeded", id)
  assert.isNotEmpty(posts, id)
  // Each is recorded before it is sent.
  assert.isAtMost(posts.length, started.length, `posts of ${id}`)
  for (const { body } of posts) assert.isTrue(posts[0]?.body.equals(body), `bodies of ${id}`)
}
