import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type { AccountId } from "#domain/Ids.ts"
import { RecoveryId } from "#domain/delivery-recovery/DeliveryRecovery.ts"
import { DueDeliveries } from "#projections/deliveries/DueDeliveries.ts"
import { type Without } from "#projections/deliveries/DueDeliveryQueries.ts"
import * as ReadSide from "#test/support/projections/ReadSide.ts"
import { alice, bob, requestId, t0 } from "#test/support/projections/RequestLog.ts"
import * as Log from "#test/support/projections/deliveries/DeliveryLog.ts"

const nothing = { accounts: [], receivers: [], lanes: [], deliveries: [] }

const test = (name: string, body: Effect.Effect<void, unknown, ReadSide.Services>) =>
  it.live(name, () => Effect.provide(body, ReadSide.layer))

const settle = ReadSide.settle("deliveries")

const next = Effect.fnUntraced(function* ({
  without = {},
  ...options
}: Partial<{ now: number; limit: number; each: number; after: AccountId; without: Partial<Without> }> = {}) {
  const found = yield* (yield* DueDeliveries).next({
    now: t0,
    limit: 10,
    each: 10,
    after: null,
    ...options,
    without: { ...nothing, ...without }
  })
  return Log.numbersOf(found)
})

const one = "https://one.example"
const two = "https://two.example:8443"

describe("DueDeliveries", () => {
  test(
    "returns a delivery from its scheduled time until an attempt begins, and again for a retry",
    Effect.gen(function* () {
      const due = yield* DueDeliveries
      yield* Log.deliver(1, Log.scheduled(7, { at: t0 + 5, url: `${two}/hooks?token=t` }))
      yield* settle
      assert.deepStrictEqual(yield* next({ now: t0 + 4 }), [])
      assert.strictEqual(yield* due.nextDueAt(t0 + 4), t0 + 5)
      const found = yield* due.next({ now: t0 + 5, limit: 10, each: 10, after: null, without: nothing })
      assert.deepStrictEqual(found, [
        {
          deliveryId: Log.deliveryId(1),
          accountId: alice,
          requestId: requestId(7),
          origin: two,
          dueAt: t0 + 5
        }
      ])
      assert.isNull(yield* due.nextDueAt(t0 + 5))

      yield* Log.deliver(1, Log.started(1, t0 + 5))
      yield* settle
      assert.deepStrictEqual(yield* next({ now: t0 + 1e9 }), [])

      yield* Log.deliver(1, Log.failed(1, t0 + 5_006, t0 + 6))
      yield* settle
      assert.deepStrictEqual(yield* next({ now: t0 + 5_005 }), [])
      assert.strictEqual(yield* due.nextDueAt(t0 + 6), t0 + 5_006)
      assert.deepStrictEqual(yield* next({ now: t0 + 5_006 }), [1])

      yield* Log.deliver(1, Log.started(2, t0 + 5_006), Log.succeeded(2, t0 + 5_007))
      yield* settle
      assert.deepStrictEqual(yield* next({ now: t0 + 1e9 }), [])
      assert.isNull(yield* due.nextDueAt(t0))

      yield* Log.deliver(1, { _tag: "ReplayRequested", at: t0 + 6_000 })
      yield* settle
      assert.deepStrictEqual(yield* next({ now: t0 + 6_000 }), [1])
      yield* Log.deliver(
        1,
        { _tag: "PayloadsErased", at: t0 + 6_001, erased: ["body"] },
        { _tag: "DeliveryFailed", at: t0 + 6_001, reason: "erased" }
      )
      yield* settle
      assert.deepStrictEqual(yield* next({ now: t0 + 1e9 }), [])
    })
  )

  test(
    "alternates between accounts, the longest due first in each, with a limit per account and receiver",
    Effect.gen(function* () {
      for (const number of [1, 2, 3, 4]) {
        yield* Log.deliver(number, Log.scheduled(number, { at: t0 - number }))
      }
      yield* Log.deliver(5, Log.scheduled(5, { at: t0 - 2, url: two }))
      for (const number of [6, 7]) {
        yield* Log.deliver(number, Log.scheduled(number, { accountId: bob, at: t0 - 9 }))
      }
      yield* settle
      assert.deepStrictEqual(yield* next(), [4, 6, 3, 7, 2, 5, 1])
      assert.deepStrictEqual(yield* next({ after: alice }), [6, 4, 7, 3, 2, 5, 1])
      assert.deepStrictEqual(yield* next({ after: bob, limit: 3 }), [4, 6, 3])
      assert.deepStrictEqual(yield* next({ each: 1 }), [4, 6, 5])
      assert.deepStrictEqual(yield* next({ each: 2 }), [4, 6, 3, 7, 5])
      assert.deepStrictEqual(yield* next({ without: { receivers: [one] } }), [5])
      assert.deepStrictEqual(yield* next({ without: { receivers: [two, one] } }), [])
      assert.deepStrictEqual(yield* next({ without: { accounts: [alice] } }), [6, 7])
      assert.deepStrictEqual(yield* next({ without: { lanes: [[alice, one]] } }), [5, 6, 7])
      assert.deepStrictEqual(yield* next({ without: { lanes: [[bob, two]] }, limit: 2 }), [4, 6])
      const deliveries = [4, 3, 7].map(Log.deliveryId)
      assert.deepStrictEqual(yield* next({ without: { deliveries }, each: 1 }), [2, 6, 5])
      const without = { accounts: [bob], lanes: [[alice, two]], deliveries } as const
      assert.deepStrictEqual(yield* next({ without }), [2, 1])
    })
  )

  test(
    "returns the claimed deliveries page by page, with their nodes",
    Effect.gen(function* () {
      const due = yield* DueDeliveries
      for (const number of [1, 2, 3, 4]) yield* Log.deliver(number, Log.scheduled(number + 10))
      yield* Log.deliver(1, Log.started(1))
      yield* Log.deliver(3, Log.started(1), Log.failed(1, t0), Log.started(2, t0, "node-2"))
      yield* Log.deliver(4, Log.started(1), Log.succeeded(1))
      yield* settle
      const first = {
        deliveryId: Log.deliveryId(1),
        requestId: requestId(11),
        attempt: 1,
        node: "node-1"
      }
      const third = {
        deliveryId: Log.deliveryId(3),
        requestId: requestId(13),
        attempt: 2,
        node: "node-2"
      }
      assert.deepStrictEqual(yield* due.underWay({ after: null, limit: 9 }), [first, third])
      assert.deepStrictEqual(yield* due.underWay({ after: null, limit: 1 }), [first])
      assert.deepStrictEqual(yield* due.underWay({ after: Log.deliveryId(1), limit: 9 }), [third])

      yield* Log.deliver(3, { _tag: "AttemptLost", at: t0 + 1, attempt: 2, nextAttemptAt: t0 + 30_001 })
      yield* settle
      assert.deepStrictEqual(yield* due.underWay({ after: null, limit: 9 }), [first])
    })
  )

  test(
    "returns what waits, due or not, and since when",
    Effect.gen(function* () {
      const { backlog } = yield* DueDeliveries
      yield* settle
      assert.deepStrictEqual(yield* backlog, { pending: 0, oldestDueAt: null })
      for (const number of [1, 2, 3]) yield* Log.deliver(number, Log.scheduled(number, { at: t0 + number }))
      yield* Log.deliver(4, Log.scheduled(4, { accountId: bob, at: t0 + 4 }))
      yield* Log.deliver(1, Log.started(1, t0 + 5))
      yield* settle
      assert.deepStrictEqual(yield* backlog, { pending: 3, oldestDueAt: t0 + 2 })
      yield* Log.deliver(1, Log.failed(1, t0 + 5_006, t0 + 6))
      for (const number of [2, 3, 4]) yield* Log.deliver(number, Log.started(1), Log.succeeded(1))
      yield* settle
      assert.deepStrictEqual(yield* backlog, { pending: 1, oldestDueAt: t0 + 5_006 })
    })
  )

  test(
    "returns the oldest unfinished recovery of each account, oldest first",
    Effect.gen(function* () {
      const due = yield* DueDeliveries
      const request = (name: string, at: number, accountId = alice) =>
        Log.recovery(name, { _tag: "RecoveryRequested", at, accountId, since: t0 - 9, until: at })
      const open = (name: string, requestedAt: number, accountId = alice) => ({
        recoveryId: RecoveryId.make(name),
        accountId,
        since: t0 - 9,
        until: requestedAt,
        requestedAt
      })
      yield* request("b", t0 + 1)
      yield* request("c", t0)
      yield* request("a", t0 + 1)
      yield* request("d", t0 + 9, bob)
      yield* settle
      assert.deepStrictEqual(yield* due.recoveries(9), [open("c", t0), open("d", t0 + 9, bob)])
      assert.deepStrictEqual(yield* due.recoveries(1), [open("c", t0)])
      yield* Log.recovery("c", { _tag: "RecoveryFinished", at: t0 + 2, replayed: 0 })
      yield* settle
      assert.deepStrictEqual(yield* due.recoveries(9), [open("a", t0 + 1), open("d", t0 + 9, bob)])
    })
  )
})
