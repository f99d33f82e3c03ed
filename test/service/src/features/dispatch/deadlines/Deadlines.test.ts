/** Deadlines take effect when they pass, whatever state their request is in (decisions, "Deadlines"). */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import type { RequestId } from "#domain/Ids.ts"
import * as Status from "#domain/inference-request/Status.ts"
import { DueWork } from "#projections/due-work/DueWork.ts"
import * as Expiry from "#src/features/dispatch/deadlines/Expiry.ts"
import { DeadlineHints } from "#src/features/requests/DeadlineHints.ts"
import { Runs } from "#src/features/dispatch/Runs.ts"
import type { RelativeDeadlines } from "#src/features/requests/Requests.ts"
import { AppendFaults } from "#test/support/AppendFaults.ts"
import * as Facts from "#test/support/RequestFacts.ts"
import { succeeded, testModel } from "#test/support/TestModels.ts"
import * as TestNode from "#test/support/TestNode.ts"
import { TestProvider } from "#test/support/TestProvider.ts"

const model = testModel("test/patient", { timeoutSeconds: 100_000 })
const options = { models: [model] }
const node = TestNode.layer(options)

const submit = ({ cancelAfterMs = null, startTimeoutMs = null }: Partial<RelativeDeadlines> = {}) =>
  Facts.submit({ model, deadlines: { startTimeoutMs, cancelAfterMs } })

const expiry = Effect.fnUntraced(function* (id: RequestId) {
  const [cancelled] = Facts.ofType(yield* Facts.untilEnd(id), "RequestCancelled")
  assert.strictEqual(cancelled?.reason, "expired")
  return cancelled?.at
})

/** Waits until nothing more happens at this time. */
const rest = Effect.replicateEffect(Effect.yieldNow, 200)

const isOpen = Effect.fnUntraced(function* (id: RequestId) {
  yield* rest
  assert.deepStrictEqual(Facts.terminal(yield* Facts.events(id)), [])
})

describe("A deadline of the start", () => {
  it.effect("ends a waiting request at that very time, without a charge", () =>
    Effect.gen(function* () {
      yield* submit()
      yield* (yield* TestProvider).next
      const id = yield* submit({ startTimeoutMs: 5_000 })
      yield* TestClock.adjust("4999 millis")
      yield* isOpen(id)
      yield* TestClock.adjust("1 millis")
      assert.strictEqual(yield* expiry(id), 5_000)
      const { request } = yield* Facts.snapshot(id)
      assert.strictEqual(Status.status(request), "CANCELLED")
      assert.strictEqual(Status.outcome(request), "expired")
      assert.strictEqual(Status.cost(request), 0n)
    }).pipe(Effect.provide(node))
  )

  it.effect("ends a claimed request without a start, and stops its run", () =>
    Effect.gen(function* () {
      const id = yield* submit({ startTimeoutMs: 5_000 })
      const run = yield* (yield* TestProvider).next
      yield* TestClock.adjust("5 seconds")
      assert.strictEqual(yield* expiry(id), 5_000)
      yield* run.stopRequested
    }).pipe(Effect.provide(node))
  )

  it.effect("does not affect a started request, which still has its end deadline", () =>
    Effect.gen(function* () {
      const id = yield* submit({ startTimeoutMs: 5_000, cancelAfterMs: 8_000 })
      const run = yield* (yield* TestProvider).next
      yield* run.does(({ started }) => started)
      yield* TestClock.adjust("5 seconds")
      yield* isOpen(id)
      yield* TestClock.adjust("2999 millis")
      yield* isOpen(id)
      yield* TestClock.adjust("1 millis")
      assert.strictEqual(yield* expiry(id), 8_000)
      yield* run.stopRequested
    }).pipe(Effect.provide(node))
  )
})

describe("A deadline of the end", () => {
  for (const [what, begin] of [
    ["waits", Effect.void],
    ["is claimed", Effect.flatMap(TestProvider, ({ next }) => next)],
    [
      "runs",
      Effect.flatMap(TestProvider, ({ next }) =>
        Effect.flatMap(next, (run) => run.does(({ started }) => started))
      )
    ]
  ] as const) {
    it.effect(`ends a request that ${what}`, () =>
      Effect.gen(function* () {
        if (what === "waits") {
          yield* submit()
          yield* (yield* TestProvider).next
        }
        const id = yield* submit({ cancelAfterMs: 5_000 })
        yield* begin
        yield* TestClock.adjust("4999 millis")
        yield* isOpen(id)
        yield* TestClock.adjust("1 millis")
        assert.strictEqual(yield* expiry(id), 5_000)
      }).pipe(Effect.provide(node))
    )
  }

  it.effect("ends the request without confirmation by its provider, while its slot stays occupied", () =>
    Effect.gen(function* () {
      const id = yield* submit({ cancelAfterMs: 5_000 })
      yield* (yield* TestProvider).next
      yield* TestClock.adjust("5 seconds")
      assert.strictEqual(yield* expiry(id), 5_000)
      yield* TestClock.adjust("1 hours")
      yield* rest
      assert.strictEqual((yield* Runs).count(model.model.endpoint), 1)
      assert.strictEqual((yield* Facts.types(id)).at(-1), "RequestCancelled")
    }).pipe(Effect.provide(node))
  )

  it.effect("is final: a later answer is recorded once as ignored, and its output is deleted", () =>
    Effect.gen(function* () {
      const id = yield* submit({ cancelAfterMs: 5_000 })
      const run = yield* (yield* TestProvider).next
      yield* run.does(({ started }) => started)
      yield* TestClock.adjust("5 seconds")
      yield* expiry(id)
      yield* run.does(({ progress }) => progress({ fraction: 0.5, logs: ["still at it"] }))
      yield* TestClock.adjust("5 seconds")
      yield* run.ends(succeeded())
      const ignored = yield* Facts.untilType(id, "LateOutcomeIgnored")
      assert.deepInclude(ignored, { attempt: 1, outcome: "Succeeded" })
      yield* TestClock.adjust("1 minute")
      yield* rest
      const { request } = yield* Facts.snapshot(id)
      assert.isNull(request.output)
      assert.strictEqual(Status.cost(request), 0n)
      assert.strictEqual((yield* Facts.types(id)).at(-1), "LateOutcomeIgnored")
      // The room is free again.
      const next = yield* submit()
      assert.strictEqual((yield* (yield* TestProvider).next).job.requestId, next)
    }).pipe(Effect.provide(node))
  )

  it.effect("does not affect a request that ended before", () =>
    Effect.gen(function* () {
      const id = yield* submit({ cancelAfterMs: 5_000 })
      yield* (yield* (yield* TestProvider).next).ends(succeeded())
      yield* Facts.untilEnd(id)
      yield* TestClock.adjust("10 seconds")
      yield* rest
      assert.strictEqual((yield* Facts.types(id)).at(-1), "RequestCompleted")
    }).pipe(Effect.provide(node))
  )
})

describe("Deadlines", () => {
  it.effect("apply in order, whatever the order of the submits", () =>
    Effect.gen(function* () {
      yield* submit()
      const late = yield* submit({ cancelAfterMs: 9_000 })
      const early = yield* submit({ cancelAfterMs: 3_000 })
      const middle = yield* submit({ startTimeoutMs: 6_000 })
      for (const [id, at] of [
        [early, 3_000],
        [middle, 6_000],
        [late, 9_000]
      ] as const) {
        yield* TestClock.adjust("2999 millis")
        yield* isOpen(id)
        yield* TestClock.adjust("1 millis")
        assert.strictEqual(yield* expiry(id), at)
      }
    }).pipe(Effect.provide(node))
  )

  it.effect("of many requests at once all apply", () =>
    Effect.gen(function* () {
      yield* submit()
      const ids = yield* Effect.replicateEffect(submit({ cancelAfterMs: 5_000 }), 1_100)
      yield* TestClock.adjust("5 seconds")
      for (const id of ids) assert.strictEqual(yield* expiry(id), 5_000)
    }).pipe(Effect.provide(node))
  )

  for (const [when, ms] of [
    ["passed meanwhile, at once", 8_000],
    ["come yet, in their time", 2_000]
  ] as const) {
    it.effect(`apply after a restart: those that ${when}`, () =>
      Effect.gen(function* () {
        const first = yield* TestNode.start({ ...options, name: "first", dispatches: false })
        const id = yield* first.on(submit({ cancelAfterMs: 5_000 }))
        yield* first.crash
        yield* TestClock.adjust(`${ms} millis`)
        const second = yield* TestNode.start({ ...options, name: "second" })
        yield* rest
        if (ms < 5_000) yield* TestClock.adjust(`${5_000 - ms} millis`)
        assert.strictEqual(yield* second.on(expiry(id)), Math.max(ms, 5_000))
      }).pipe(Effect.provide(TestNode.storeLayer))
    )
  }

  it.effect("apply even when another request's events cannot be read", () =>
    Effect.gen(function* () {
      yield* submit()
      const broken = yield* submit({ cancelAfterMs: 3_000 })
      const sound = yield* submit({ cancelAfterMs: 5_000 })
      yield* Facts.makeUnreadable(broken)
      yield* TestClock.adjust("3 seconds")
      yield* rest
      yield* TestClock.adjust("2 seconds")
      assert.strictEqual(yield* expiry(sound), 5_000)
    }).pipe(Effect.provide(node))
  )

  it.effect("apply a second later when the log rejected their end", () =>
    Effect.gen(function* () {
      yield* submit()
      const id = yield* submit({ cancelAfterMs: 5_000 })
      ;(yield* AppendFaults).fail("RequestCancelled", 1)
      yield* TestClock.adjust("5 seconds")
      yield* isOpen(id)
      yield* TestClock.adjust("1 second")
      assert.strictEqual(yield* expiry(id), 6_000)
    }).pipe(Effect.provide(node))
  )

  it.effect("of a late claim end the request instead of running it", () =>
    Effect.gen(function* () {
      const first = yield* TestNode.start({ ...options, name: "first", dispatches: false })
      const id = yield* first.on(submit({ startTimeoutMs: 5_000 }))
      yield* first.stop
      yield* TestClock.adjust("5 seconds")
      const second = yield* TestNode.start({ ...options, name: "second" })
      assert.strictEqual(yield* second.on(expiry(id)), 5_000)
      assert.deepStrictEqual((yield* TestProvider).begun(), [])
    }).pipe(Effect.provide(TestNode.storeLayer))
  )

  it.effect("are watched until the end of a request whose start is missing in the queue", () =>
    Effect.gen(function* () {
      const id = yield* submit({ startTimeoutMs: 1_000, cancelAfterMs: 9_000 })
      const run = yield* (yield* TestProvider).next
      yield* run.does(({ started }) => started)
      yield* Effect.all([Facts.untilType(id, "RequestStarted"), TestClock.adjust("20 millis")], {
        concurrency: 2
      })
      const hints = yield* DeadlineHints
      hints.take()
      const stale: DueWork["Service"] = {
        ...(yield* DueWork),
        deadlines: ({ after }) => Effect.succeed(after === null ? [{ requestId: id, at: 1_000 }] : [])
      }
      const expireDue = yield* Effect.provideService(Expiry.make, DueWork, stale)
      assert.strictEqual(yield* expireDue(1_000), 0)
      assert.strictEqual(hints.take(), 9_000)
    }).pipe(Effect.provide(node))
  )

  it.effect("are watched only for requests that have one", () =>
    Effect.gen(function* () {
      const hints = yield* DeadlineHints
      yield* rest
      yield* submit()
      assert.isNull(hints.take())
    }).pipe(Effect.provide(TestNode.layer({ ...options, dispatches: false })))
  )
})
