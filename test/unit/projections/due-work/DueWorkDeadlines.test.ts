/** The deadlines in the work queue. */
import { assert, describe } from "@effect/vitest"
import { Effect } from "effect"
import type { Deadlines, Event } from "#domain/inference-request/Event.ts"
import { DueWork } from "#projections/due-work/DueWork.ts"
import * as Log from "#test/support/projections/RequestLog.ts"
import {
  deadlines,
  overdue,
  receivedMedia,
  retried,
  settled,
  submitted,
  test,
  timed
} from "#test/support/projections/due-work/QueueFacts.ts"

const { t0, echo } = Log

const withDeadlines = (deadlines: Deadlines) => submitted({ deadlines })

describe("Deadlines in DueWork", () => {
  test(
    "the earlier one counts until the start, the deadline for the end after it",
    Effect.gen(function* () {
      yield* Log.append(1, withDeadlines({ startBy: t0 + 10, endBy: t0 + 30 }))
      yield* Log.append(2, withDeadlines({ startBy: t0 + 40, endBy: t0 + 20 }))
      yield* Log.append(3, withDeadlines({ startBy: t0 + 50 }))
      yield* Log.append(4, withDeadlines({ endBy: t0 + 60 }))
      yield* Log.append(5, submitted())
      assert.deepStrictEqual(yield* deadlines, [
        [1, 10],
        [2, 20],
        [3, 50],
        [4, 60]
      ])
      for (const number of [1, 2, 3, 4, 5]) yield* Log.append(number, Log.dispatched(1))
      assert.lengthOf(yield* deadlines, 4)
      for (const number of [1, 2, 3, 4, 5]) yield* Log.append(number, Log.started(1))
      assert.deepStrictEqual(yield* deadlines, [
        [2, 20],
        [1, 30],
        [4, 60]
      ])
    })
  )

  test(
    "a started request has no deadline for the start in its next run",
    Effect.gen(function* () {
      yield* Log.append(1, withDeadlines({ startBy: t0 + 10 }), Log.dispatched(1), Log.started(1))
      yield* Log.append(1, Log.requeued(1, t0 + 5))
      assert.deepStrictEqual(yield* deadlines, [])
      yield* Log.append(2, withDeadlines({ startBy: t0 + 10 }), Log.dispatched(1), Log.requeued(1, t0 + 5))
      assert.deepStrictEqual(yield* deadlines, [[2, 10]])
    })
  )

  test(
    "a finished run has started, even without a reported start",
    Effect.gen(function* () {
      yield* Log.append(
        1,
        withDeadlines({ startBy: t0 + 10, endBy: t0 + 90 }),
        Log.dispatched(1),
        receivedMedia
      )
      assert.deepStrictEqual(yield* deadlines, [[1, 90]])
    })
  )

  test(
    "are returned page by page up to now, with the next one after it",
    Effect.gen(function* () {
      for (const number of [1, 2, 3, 4]) yield* Log.append(number, withDeadlines({ endBy: t0 + 10 }))
      yield* Log.append(5, withDeadlines({ endBy: t0 + 5 }))
      yield* Log.append(6, withDeadlines({ endBy: t0 + 11 }))
      const work = yield* settled
      const first = yield* work.deadlines({ now: t0 + 10, after: null, limit: 3 })
      assert.deepStrictEqual(first.map(timed), [
        [5, 5],
        [1, 10],
        [2, 10]
      ])
      const rest = yield* work.deadlines({ now: t0 + 10, after: first[2] ?? null, limit: 3 })
      assert.deepStrictEqual(rest.map(timed), [
        [3, 10],
        [4, 10]
      ])
      assert.strictEqual(yield* work.nextDeadlineAt(t0 + 10), t0 + 11)
      assert.isNull(yield* work.nextDeadlineAt(t0 + 11))
    })
  )

  const ends: ReadonlyArray<Event> = [
    Log.completed(1),
    { _tag: "RequestFailed", at: t0, attempt: 1, reason: "refused", message: "no" },
    { _tag: "RequestCancelled", at: t0, reason: "expired" },
    { _tag: "RequestForceFailed", at: t0, attempt: 2, retries: 5, message: "given up" }
  ]
  for (const end of ends) {
    test(
      `end with ${end._tag}, like all other rows of the request`,
      Effect.gen(function* () {
        const request = submitted({ deadlines: { startBy: t0 + 9, endBy: t0 + 10 }, expectedMs: 5 })
        yield* Log.append(1, request, Log.dispatched(1), retried("lost", 5, t0 + 70), Log.dispatched(2))
        assert.lengthOf(yield* deadlines, 1)
        assert.lengthOf(yield* overdue, 1)
        yield* Log.append(1, end)
        assert.deepStrictEqual(yield* deadlines, [])
        assert.deepStrictEqual(yield* overdue, [])
        const work = yield* DueWork
        assert.deepStrictEqual(yield* work.forceFailable({ createdBefore: t0, after: null, limit: 9 }), [])
        assert.strictEqual(yield* work.depth(echo), 0)
      })
    )
  }
})
