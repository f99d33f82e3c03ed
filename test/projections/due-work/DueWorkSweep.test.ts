/** What the work queue tells the sweep and those who keep deadlines. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { units } from "#domain/Money.ts"
import type { Deadlines, Event, RequestSubmitted } from "#domain/inference-request/Event.ts"
import { DueWork } from "#projections/due-work/DueWork.ts"
import { makeTimeOrdered, RequestId } from "#domain/Ids.ts"
import { EventStore } from "#streams/EventStore.ts"
import * as ExpectedVersion from "#streams/ExpectedVersion.ts"
import * as StreamName from "#streams/StreamName.ts"
import { codec } from "#domain/inference-request/Event.ts"
import * as ReadSide from "../ReadSide.ts"
import * as Log from "../RequestLog.ts"

const { t0, alice, echo } = Log

const test = (name: string, body: Effect.Effect<void, unknown, ReadSide.Services>) =>
  it.live(name, () => Effect.provide(body, ReadSide.layer))

const submitted = (options: Partial<RequestSubmitted> = {}): RequestSubmitted => ({
  ...Log.submitted(alice, echo),
  ...options
})

const withDeadlines = (deadlines: Deadlines) => submitted({ deadlines })

const received: Event = {
  _tag: "OutputReceived",
  at: t0 + 50,
  attempt: 1,
  delivered: units(1),
  payloads: { output: { hash: "hash", size: 2 } }
}
const receivedMedia: Event = { ...received, media: [{ path: "/url", fileId: "file", thumbnailId: "thumb" }] }

const retried = (reason: "lost" | "media_missing", retry: number, dueAt: number): Event => ({
  _tag: "SweepRetried",
  at: t0 + 60,
  attempt: retry,
  reason,
  retry,
  dueAt
})

const forceFailed: Event = {
  _tag: "RequestForceFailed",
  at: t0 + 90,
  attempt: 1,
  retries: 5,
  message: "The request could not be brought to an end."
}

const numberOf = ({ requestId }: { readonly requestId: string }) => Number(requestId.slice(2))
const timed = (row: { readonly requestId: string; readonly at: number }) => [numberOf(row), row.at]

const settled = Effect.andThen(ReadSide.settle("duework"), DueWork)

/** Every deadline, as `[request, ms after t0]`. */
const deadlines = Effect.gen(function* () {
  const found = yield* (yield* settled).deadlines({ now: t0 + 1_000_000, after: null, limit: 100 })
  return found.map((row) => [numberOf(row), row.at - t0])
})

const overdue = Effect.gen(function* () {
  const found = yield* (yield* settled).overdue({ now: t0 + 1_000_000, after: null, limit: 100 })
  return found.map((row) => [numberOf(row), row.at - t0])
})

const finalizing = Effect.fnUntraced(function* (now: number) {
  const found = yield* (yield* settled).finalizing({ now, after: null, limit: 100 })
  return found.map((row) => [numberOf(row), row.at - t0])
})

const waiting = Effect.gen(function* () {
  const found = yield* (yield* settled).next({ model: echo, now: t0 + 1_000_000, limit: 100, after: null })
  return found.map(numberOf)
})

describe("Deadlines in DueWork", () => {
  test(
    "the earlier one counts until the start, the one of the end after it",
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
    "a request that has started once keeps no deadline of its start in its next run",
    Effect.gen(function* () {
      yield* Log.append(1, withDeadlines({ startBy: t0 + 10 }), Log.dispatched(1), Log.started(1))
      yield* Log.append(1, Log.requeued(1, t0 + 5))
      assert.deepStrictEqual(yield* deadlines, [])
      yield* Log.append(2, withDeadlines({ startBy: t0 + 10 }), Log.dispatched(1), Log.requeued(1, t0 + 5))
      assert.deepStrictEqual(yield* deadlines, [[2, 10]])
    })
  )

  test(
    "a run that is over has started, also when nobody said so",
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
    "are told page by page up to now, and the next one after it",
    Effect.gen(function* () {
      for (const number of [1, 2, 3, 4]) yield* Log.append(number, withDeadlines({ endBy: t0 + 10 }))
      yield* Log.append(5, withDeadlines({ endBy: t0 + 5 }))
      yield* Log.append(6, withDeadlines({ endBy: t0 + 11 }))
      const work = yield* settled
      const first = yield* work.deadlines({ now: t0 + 10, after: null, limit: 3 })
      assert.deepStrictEqual(first.map(timed), [
        [5, t0 + 5],
        [1, t0 + 10],
        [2, t0 + 10]
      ])
      const rest = yield* work.deadlines({ now: t0 + 10, after: first[2] ?? null, limit: 3 })
      assert.deepStrictEqual(rest.map(timed), [
        [3, t0 + 10],
        [4, t0 + 10]
      ])
      assert.strictEqual(yield* work.nextDeadlineAt(t0 + 10), t0 + 11)
      assert.isNull(yield* work.nextDeadlineAt(t0 + 11))
    })
  )

  const ends: ReadonlyArray<Event> = [
    Log.completed(1),
    { _tag: "RequestFailed", at: t0, attempt: 1, reason: "refused", message: "no" },
    { _tag: "RequestCancelled", at: t0, reason: "expired" },
    forceFailed
  ]
  for (const end of ends) {
    test(
      `end with ${end._tag}, as all else of the request`,
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
    "are none of those whose usual time nobody knows",
    Effect.gen(function* () {
      yield* Log.append(1, submitted(), Log.dispatched(1), Log.started(1))
      assert.deepStrictEqual(yield* overdue, [])
    })
  )

  test(
    "are told page by page",
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
    "are queued again when the sweep found them lost",
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
    "are from their output to their end, and no claims",
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
    "are none of those whose output names no files",
    Effect.gen(function* () {
      yield* Log.append(1, submitted(), Log.dispatched(1), received)
      assert.deepStrictEqual(yield* finalizing(t0 + 100), [])
    })
  )
})

describe("Requests to be failed, in DueWork", () => {
  const hour = 60 * 60 * 1_000

  /** Submitted at `at`, and lost as often. */
  const lost = Effect.fnUntraced(function* (at: number, times: number) {
    const id = RequestId.make(makeTimeOrdered({ millis: at, counter: 7, random: new Uint8Array(10) }))
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
    "are those retried five times that are old enough, page by page",
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
      // Right after 1970 nothing is old enough.
      assert.deepStrictEqual(yield* work.forceFailable({ createdBefore: -1, after: null, limit: 9 }), [])
    })
  )
})
