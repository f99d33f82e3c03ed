/** The rows of the work queue that the sweep reads. */
import { assert, describe } from "@effect/vitest"
import { Effect } from "effect"
import { firstTimeOrdered, RequestId } from "#domain/Ids.ts"
import { codec, type Event } from "#domain/inference-request/Event.ts"
import { DueWork } from "#projections/due-work/DueWork.ts"
import { EventStore } from "#streams/EventStore.ts"
import * as ExpectedVersion from "#streams/ExpectedVersion.ts"
import * as StreamName from "#streams/StreamName.ts"
import * as Log from "#test/support/projections/RequestLog.ts"
import {
  numberOf,
  overdue,
  received,
  receivedMedia,
  retried,
  settled,
  submitted,
  test,
  timed
} from "#test/support/projections/due-work/QueueFacts.ts"

const { t0, alice, echo } = Log

const finalizing = Effect.fnUntraced(function* (now: number) {
  const found = yield* (yield* settled).finalizing({ now, after: null, limit: 100 })
  return found.map(timed)
})

const waiting = Effect.gen(function* () {
  const found = yield* (yield* settled).next({ model: echo, now: t0 + 1_000_000, limit: 100, after: null })
  return found.map(numberOf)
})

describe("Overdue runs in DueWork", () => {
  test(
    "are overdue by their claim, then by their start, and not between two runs",
    Effect.gen(function* () {
      yield* Log.append(1, submitted({ expectedMs: 100 }))
      assert.deepStrictEqual(yield* overdue, [])
      yield* Log.append(1, Log.dispatched(1, t0 + 10))
      assert.deepStrictEqual(yield* overdue, [[1, 110]])
      yield* Log.append(1, Log.started(1, t0 + 20))
      assert.deepStrictEqual(yield* overdue, [[1, 120]])
      yield* Log.append(1, Log.requeued(1, t0 + 40))
      assert.deepStrictEqual(yield* overdue, [])
      yield* Log.append(1, Log.dispatched(2, t0 + 40, "node-2"))
      yield* Log.append(1, { _tag: "ProviderAccepted", at: t0 + 41, attempt: 2, jobId: "job" })
      const work = yield* settled
      assert.deepStrictEqual(yield* work.overdue({ now: t0 + 139, after: null, limit: 9 }), [])
      assert.deepStrictEqual(yield* work.overdue({ now: t0 + 140, after: null, limit: 9 }), [
        {
          requestId: Log.requestId(1),
          accountId: alice,
          model: echo,
          attempt: 2,
          provider: "builtin",
          node: "node-2",
          jobId: "job",
          cancelRequested: false,
          at: t0 + 140
        }
      ])
    })
  )

  test(
    "exclude requests without a usual duration",
    Effect.gen(function* () {
      yield* Log.append(1, submitted(), Log.dispatched(1), Log.started(1))
      assert.deepStrictEqual(yield* overdue, [])
    })
  )

  test(
    "are returned page by page",
    Effect.gen(function* () {
      for (const number of [1, 2, 3]) {
        yield* Log.append(number, submitted({ expectedMs: 5 }), Log.dispatched(1, t0 + 10 - number))
      }
      const work = yield* settled
      const page = (after: Parameters<DueWork["Service"]["overdue"]>[0]["after"]) =>
        work.overdue({ now: t0 + 100, after, limit: 2 })
      const first = yield* page(null)
      assert.deepStrictEqual(first.map(numberOf), [3, 2])
      const second = yield* page(first[1] ?? null)
      assert.deepStrictEqual(second.map(numberOf), [1])
      assert.deepStrictEqual(yield* page(second[0] ?? null), [])
    })
  )

  test(
    "are queued again when the sweep has found them lost",
    Effect.gen(function* () {
      yield* Log.append(1, submitted({ expectedMs: 5 }), Log.dispatched(1), retried("lost", 1, t0 + 70))
      assert.deepStrictEqual(yield* overdue, [])
      assert.deepStrictEqual(yield* waiting, [1])
      const work = yield* DueWork
      assert.deepStrictEqual(yield* work.next({ model: echo, now: t0 + 69, limit: 9, after: null }), [])
      assert.strictEqual(yield* work.depth(echo), 1)
    })
  )
})

describe("Requests whose files are to be stored, in DueWork", () => {
  test(
    "count from their output to their end, and are not claims",
    Effect.gen(function* () {
      yield* Log.append(1, submitted({ expectedMs: 5 }), Log.dispatched(1), Log.started(1))
      yield* Log.append(1, receivedMedia)
      assert.deepStrictEqual(yield* finalizing(t0 + 49), [])
      assert.deepStrictEqual(yield* finalizing(t0 + 50), [[1, 50]])
      assert.deepStrictEqual(yield* overdue, [])
      const work = yield* DueWork
      assert.deepStrictEqual(yield* work.claims({ after: null, limit: 9 }), [])
      assert.strictEqual(yield* work.depth(echo), 0)

      yield* Log.append(1, retried("media_missing", 1, t0 + 70))
      assert.deepStrictEqual(yield* finalizing(t0 + 69), [])
      assert.deepStrictEqual(yield* finalizing(t0 + 70), [[1, 70]])
      assert.deepStrictEqual(yield* waiting, [])

      const stored: Event = { _tag: "MediaStored", at: t0 + 80, attempt: 1, media: [] }
      yield* Log.append(1, stored, Log.completed(1, t0 + 80))
      assert.deepStrictEqual(yield* finalizing(t0 + 100), [])
    })
  )

  test(
    "exclude requests whose output names no files",
    Effect.gen(function* () {
      yield* Log.append(1, submitted(), Log.dispatched(1), received)
      assert.deepStrictEqual(yield* finalizing(t0 + 100), [])
    })
  )
})

describe("Requests to be failed, in DueWork", () => {
  const hour = 60 * 60 * 1_000

  /** Submitted at `at` and lost this often. */
  const lost = Effect.fnUntraced(function* (at: number, times: number) {
    const id = RequestId.make(firstTimeOrdered(at))
    const events: Array<Event> = [Log.submitted(alice, echo, at)]
    for (let retry = 1; retry <= times; retry++) {
      events.push(Log.dispatched(retry, at), retried("lost", retry, at))
    }
    const encoded = events.map((event, index) => ({ id: `${id} ${index}`, ...codec.encode(event) }))
    const [first, ...others] = encoded
    if (first === undefined) return yield* Effect.die("no events")
    const stream = StreamName.make("InferenceRequest", id)
    yield* (yield* EventStore).append({ stream, expected: ExpectedVersion.Any, events: [first, ...others] })
    return id
  })

  test(
    "are those with five retries that are old enough, page by page",
    Effect.gen(function* () {
      const now = t0 + 10 * hour
      const oldest = yield* lost(t0, 5)
      yield* lost(t0 + 1, 4)
      const older = yield* lost(now - 6 * hour - 1, 6)
      yield* lost(now - 6 * hour, 5)
      yield* lost(now - hour, 9)
      const work = yield* settled
      const createdBefore = now - 6 * hour
      assert.deepStrictEqual(yield* work.forceFailable({ createdBefore, after: null, limit: 9 }), [
        oldest,
        older
      ])
      assert.deepStrictEqual(yield* work.forceFailable({ createdBefore, after: null, limit: 1 }), [oldest])
      assert.deepStrictEqual(yield* work.forceFailable({ createdBefore, after: oldest, limit: 9 }), [older])
      // Shortly after 1970 nothing is old enough.
      assert.deepStrictEqual(yield* work.forceFailable({ createdBefore: -1, after: null, limit: 9 }), [])
    })
  )
})
