/** The webhooks that are owed to clients. */
import { assert, describe } from "@effect/vitest"
import { Effect } from "effect"
import type { Event, WebhookEventName } from "#domain/inference-request/Event.ts"
import { DueDeliveries } from "#projections/deliveries/DueDeliveries.ts"
import { deliver, scheduled } from "#test/support/projections/deliveries/DeliveryLog.ts"
import * as ReadSide from "#test/support/projections/ReadSide.ts"
import * as Log from "#test/support/projections/RequestLog.ts"
import { numberOf, retried, submitted, test } from "#test/support/projections/due-work/QueueFacts.ts"

const { t0 } = Log

const subscribed = (...events: ReadonlyArray<WebhookEventName>) =>
  submitted({ webhook: { url: "https://one.example/hooks", events, filtered: true } })

/** As `request event`, in order. */
const owed = Effect.gen(function* () {
  yield* ReadSide.settle("duework")
  const found = yield* (yield* DueDeliveries).owed({ after: null, limit: 100 })
  return found.map((each) => `${numberOf(each)} ${each.event}`)
})

const ends: Record<string, Event> = {
  completes: Log.completed(1),
  fails: { _tag: "RequestFailed", at: t0, attempt: 1, reason: "refused", message: "no" },
  "is failed by the sweep": {
    _tag: "RequestForceFailed",
    at: t0,
    attempt: 1,
    retries: 5,
    message: "given up"
  },
  "is cancelled": { _tag: "RequestCancelled", at: t0, reason: "requested" }
}

describe("Owed deliveries", () => {
  for (const [name, end] of Object.entries(ends)) {
    test(
      `include the end of a request that ${name}, for each webhook that wants it`,
      Effect.gen(function* () {
        yield* Log.append(1, subscribed("completed"), Log.dispatched(1))
        yield* Log.append(2, subscribed("start"), Log.dispatched(1))
        yield* Log.append(3, subscribed("start", "completed"), Log.dispatched(1))
        yield* Log.append(4, submitted(), Log.dispatched(1))
        assert.deepStrictEqual(yield* owed, [])
        for (const number of [1, 2, 3, 4]) yield* Log.append(number, end)
        assert.deepStrictEqual(yield* owed, ["1 completed", "3 completed"])
      })
    )

    test(
      `exclude the start once the request ${name}`,
      Effect.gen(function* () {
        for (const number of [1, 2, 3]) {
          yield* Log.append(number, subscribed("start", "completed"), Log.dispatched(1), Log.started(1))
        }
        assert.deepStrictEqual(yield* owed, ["1 start", "2 start", "3 start"])
        yield* deliver(1, scheduled(1, { event: "start" }))
        yield* Log.append(1, end)
        yield* Log.append(2, end)
        assert.deepStrictEqual(yield* owed, ["1 completed", "2 completed", "3 start"])
      })
    )
  }

  test(
    "include the start of a request when its first run starts, and not of later runs",
    Effect.gen(function* () {
      yield* Log.append(1, subscribed("start"), Log.dispatched(1))
      yield* Log.append(2, subscribed("completed"), Log.dispatched(1), Log.started(1))
      yield* Log.append(3, submitted(), Log.dispatched(1), Log.started(1))
      assert.deepStrictEqual(yield* owed, [])
      yield* Log.append(1, Log.started(1))
      assert.deepStrictEqual(yield* owed, ["1 start"])
      yield* deliver(1, scheduled(1, { event: "start" }))
      assert.deepStrictEqual(yield* owed, [])
      yield* Log.append(1, Log.requeued(1, t0 + 5), Log.dispatched(2), Log.started(2))
      yield* Log.append(1, retried("lost", 1, t0 + 9), Log.dispatched(3), Log.started(3))
      assert.deepStrictEqual(yield* owed, [])
    })
  )

  test(
    "include one start for a request that was requeued before it was scheduled",
    Effect.gen(function* () {
      yield* Log.append(1, subscribed("start"), Log.dispatched(1), Log.started(1))
      yield* Log.append(1, Log.requeued(1, t0 + 5), Log.dispatched(2), Log.started(2))
      assert.deepStrictEqual(yield* owed, ["1 start"])
    })
  )

  test(
    "are owed until each is scheduled, and not again after later events",
    Effect.gen(function* () {
      yield* Log.append(1, subscribed("start", "completed"), Log.dispatched(1), Log.completed(1))
      yield* Log.append(2, subscribed("completed"), Log.dispatched(1), Log.completed(1))
      yield* deliver(1, scheduled(1, { event: "start" }))
      assert.deepStrictEqual(yield* owed, ["1 completed", "2 completed"])
      yield* deliver(2, scheduled(1, { event: "completed" }))
      assert.deepStrictEqual(yield* owed, ["2 completed"])
      const late = [
        { _tag: "LateOutcomeIgnored", at: t0, attempt: 1, outcome: "failed" },
        {
          _tag: "PayloadsErased",
          at: t0,
          reason: "requested",
          erased: ["input"],
          hasFiles: false
        }
      ] as const
      yield* Log.append(1, Log.completed(1), ...late)
      assert.deepStrictEqual(yield* owed, ["2 completed"])
    })
  )

  test(
    "are returned in the order of the requests, up to a limit",
    Effect.gen(function* () {
      for (const number of [3, 1, 2]) {
        yield* Log.append(number, subscribed("completed"), Log.dispatched(1), Log.completed(1))
      }
      assert.deepStrictEqual(yield* owed, ["1 completed", "2 completed", "3 completed"])
      const due = yield* DueDeliveries
      const two = yield* due.owed({ after: null, limit: 2 })
      assert.deepStrictEqual(two.map(numberOf), [1, 2])
      const rest = yield* due.owed({ after: two.at(-1) ?? null, limit: 2 })
      assert.deepStrictEqual(rest.map(numberOf), [3])
    })
  )
})
