import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import type { RequestId } from "#domain/Ids.ts"
import type { ProviderOutcome } from "#domain/Outcome.ts"
import * as Facts from "#test/support/RequestFacts.ts"
import { single, succeeded, testModel } from "#test/support/TestModels.ts"
import * as TestNode from "#test/support/TestNode.ts"
import { TestProvider } from "#test/support/TestProvider.ts"

const hasty = testModel("test/hasty", { timeoutSeconds: 10 })
const layer = TestNode.layer({ models: [single, hasty] })

const transportError: ProviderOutcome = {
  _tag: "ProviderError",
  message: "connection reset",
  retryable: true
}
const rateLimited = (retryAfterMs: number): ProviderOutcome => ({ _tag: "RateLimited", retryAfterMs })

/**
 * Ends the next run with this outcome and waits until the request is queued for the `count`th time. Returns the
 * delay, ms.
 */
const requeuedAfter = Effect.fnUntraced(function* (id: RequestId, outcome: ProviderOutcome, count: number) {
  const run = yield* (yield* TestProvider).next
  assert.strictEqual(run.job.requestId, id)
  yield* run.ends(outcome)
  const { dueAt } = yield* Facts.untilType(id, "RequestRequeued", count)
  return dueAt - (yield* Clock.currentTimeMillis)
})

describe("A run that fails in transport", () => {
  it.effect("is retried five times, after 250 ms and twice as long each time, then the request fails", () =>
    Effect.gen(function* () {
      const provider = yield* TestProvider
      const id = yield* Facts.submit()
      for (const [index, expected] of [250, 500, 1_000, 2_000, 4_000].entries()) {
        assert.strictEqual(yield* requeuedAfter(id, transportError, index + 1), expected)
        yield* TestClock.adjust(expected - 1)
        assert.strictEqual(provider.begun().length, index + 1)
        yield* TestClock.adjust(1)
      }
      yield* (yield* provider.next).ends(transportError)
      const all = yield* Facts.untilEnd(id)
      const [failed] = Facts.ofType(all, "RequestFailed")
      assert.deepInclude(failed, { reason: "transport_error", message: "connection reset", attempt: 6 })
      assert.strictEqual(provider.begun().length, 6)
    }).pipe(Effect.provide(layer))
  )

  it.effect("leaves no trace in the result when a later run succeeds", () =>
    Effect.gen(function* () {
      const id = yield* Facts.submit()
      yield* TestClock.adjust(yield* requeuedAfter(id, transportError, 1))
      const run = yield* (yield* TestProvider).next
      assert.strictEqual(run.job.attempt, 2)
      yield* run.ends(succeeded())
      const [completed] = Facts.ofType(yield* Facts.untilEnd(id), "RequestCompleted")
      assert.deepInclude(completed, { attempt: 2, error: null })
      assert.strictEqual(completed?.billing.status, "charged")
    }).pipe(Effect.provide(layer))
  )
})

describe("A run that its provider postpones", () => {
  it.effect(
    "is retried at the provider's time, any number of times, and its request never fails from it",
    () =>
      Effect.gen(function* () {
        const provider = yield* TestProvider
        const id = yield* Facts.submit()
        for (let count = 1; count <= 30; count++) {
          assert.strictEqual(yield* requeuedAfter(id, rateLimited(7_000), count), 7_000)
          yield* TestClock.adjust(6_999)
          assert.strictEqual(provider.begun().length, count)
          yield* TestClock.adjust(1)
        }
        yield* (yield* provider.next).ends(succeeded())
        assert.lengthOf(Facts.ofType(yield* Facts.untilEnd(id), "RequestCompleted"), 1)
      }).pipe(Effect.provide(layer))
  )

  it.effect.each<readonly [number, number]>([
    [0, 250],
    [-5, 250],
    [Number.NaN, 250],
    [300.5, 301],
    [Number.POSITIVE_INFINITY, 86_400_000]
  ])("waits a bounded time when the provider requests %d ms: %d ms", ([said, expected]) =>
    Effect.gen(function* () {
      const id = yield* Facts.submit()
      assert.strictEqual(yield* requeuedAfter(id, rateLimited(said), 1), expected)
    }).pipe(Effect.provide(layer))
  )
})

describe("A run that does not end", () => {
  it.effect("is asked to stop at the model's limit, and the request fails whatever its outcome", () =>
    Effect.gen(function* () {
      const id = yield* Facts.submit({ model: hasty })
      const run = yield* (yield* TestProvider).next
      const asked = yield* Effect.forkChild(run.stopRequested)
      yield* TestClock.adjust("9999 millis")
      assert.isUndefined(asked.pollUnsafe())
      yield* TestClock.adjust("1 millis")
      yield* Fiber.join(asked)
      yield* run.ends(succeeded())
      const [failed] = Facts.ofType(yield* Facts.untilEnd(id), "RequestFailed")
      assert.deepInclude(failed, {
        reason: "refused",
        message: "The run took longer than the model's limit of 10 s."
      })
    }).pipe(Effect.provide(layer))
  )

  it.effect("is stopped 5 s after that, and the request fails", () =>
    Effect.gen(function* () {
      const id = yield* Facts.submit({ model: hasty })
      const run = yield* (yield* TestProvider).next
      yield* TestClock.adjust("14999 millis")
      assert.deepStrictEqual(yield* Facts.types(id), ["RequestSubmitted", "DispatchStarted"])
      yield* TestClock.adjust("1 millis")
      yield* run.interrupted
      const [failed] = Facts.ofType(yield* Facts.untilEnd(id), "RequestFailed")
      assert.deepInclude(failed, {
        reason: "refused",
        message: "The run took longer than the model's limit of 10 s."
      })
    }).pipe(Effect.provide(layer))
  )

  it.effect("frees its slot for the next request when it is stopped", () =>
    Effect.gen(function* () {
      const provider = yield* TestProvider
      yield* Facts.submit({ model: hasty })
      yield* provider.next
      const second = yield* Facts.submit({ model: hasty })
      yield* TestClock.adjust("15 seconds")
      assert.strictEqual((yield* provider.next).job.requestId, second)
    }).pipe(Effect.provide(layer))
  )
})
