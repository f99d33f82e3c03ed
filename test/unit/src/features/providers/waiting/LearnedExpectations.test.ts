import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, References } from "effect"
import { TestClock } from "effect/testing"
import type { ProviderBinding } from "#domain/catalog/ProviderBinding.ts"
import type { ModelEndpoint } from "#domain/ModelEndpoint.ts"
import { units } from "#domain/Money.ts"
import * as DurationsProjection from "#projections/durations/DurationsProjection.ts"
import * as DueWorkProjection from "#projections/due-work/DueWorkProjection.ts"
import * as Histogram from "#projections/durations/Histogram.ts"
import { Expectations } from "#src/features/catalog/Expectations.ts"
import * as LearnedExpectations from "#src/features/providers/waiting/LearnedExpectations.ts"
import * as BuiltinCatalog from "#src/features/catalog/models/BuiltinCatalog.ts"
import { Catalog } from "#src/features/catalog/models/Catalog.ts"
import { WaitingFor, worker } from "#src/features/provider-health/WaitingFor.ts"
import { ProviderHealth } from "#src/features/provider-health/ProviderHealth.ts"
import { testModel } from "#test/support/TestModels.ts"
import * as ReadSide from "#test/support/projections/ReadSide.ts"
import * as RequestLog from "#test/support/projections/RequestLog.ts"

const gpu: ProviderBinding = { name: "gpu", adapter: "http" }
const made = testModel("test/base", { concurrency: 2 })
const base = { ...made, model: { ...made.model, providers: [gpu] as const } }
const wrapper = testModel("test/wrapper")

/** The second model runs on the first. */
const catalog = Layer.effect(
  Catalog,
  Effect.map(Catalog, (known) =>
    Catalog.of({
      ...known,
      all: Effect.map(known.all, (entries) =>
        entries.map((entry) => ({
          ...entry,
          model: { ...base.model, endpoint: entry.model.endpoint },
          runs: base.model.endpoint
        }))
      )
    })
  )
).pipe(Layer.provide(BuiltinCatalog.layerOf([base, wrapper])))

const layer = LearnedExpectations.layer.pipe(
  Layer.provideMerge(Layer.mergeAll(catalog, ProviderHealth.layer)),
  Layer.provideMerge(ReadSide.layer),
  Layer.provide(Layer.succeed(References.MinimumLogLevel, "None"))
)

let written = 0

/** A successful run of this many seconds that ended this many ms ago. */
const ran = (seconds: number, model: ModelEndpoint = base.model.endpoint, at = 0) =>
  RequestLog.append(
    ++written,
    RequestLog.submitted(RequestLog.alice, model, at),
    RequestLog.dispatched(1, at),
    RequestLog.started(1, at),
    {
      _tag: "OutputReceived",
      at: at + seconds * 1_000,
      attempt: 1,
      delivered: units(1),
      payloads: { output: { hash: "out", size: 2 } }
    },
    RequestLog.completed(1, at + seconds * 1_000)
  )

const queue = (count: number, at = 0) =>
  Effect.replicateEffect(
    Effect.suspend(() =>
      RequestLog.append(++written, RequestLog.submitted(RequestLog.alice, base.model.endpoint, at))
    ),
    count
  )

/** As read next. */
const expected = Effect.fnUntraced(function* (endpoint: string = base.model.endpoint) {
  yield* ReadSide.settle(DurationsProjection.projection.name)
  yield* ReadSide.settle(DueWorkProjection.projection.name)
  yield* TestClock.adjust("20 seconds")
  // The read of the real file takes a moment of real time.
  const { of } = yield* Expectations
  yield* Effect.repeat(Effect.yieldNow, { times: 100 })
  return of(endpoint)
})

describe("Expectations", () => {
  it.effect("are null until five runs have succeeded", () =>
    Effect.gen(function* () {
      yield* Effect.forEach([1, 1, 1, 1], (seconds) => ran(seconds))
      assert.isNull(yield* expected())
      yield* ran(1)
      assert.strictEqual((yield* expected())?.samples, 5)
    }).pipe(Effect.provide(layer))
  )

  it.effect("are the median and the 90th percentile, to within the buckets", () =>
    Effect.gen(function* () {
      for (let seconds = 1; seconds <= 20; seconds++) yield* ran(seconds)
      const found = yield* expected()
      assert.strictEqual(found?.samples, 20)
      assert.isAtLeast(found?.p50Seconds ?? 0, 10)
      assert.isAtMost(found?.p50Seconds ?? 0, 10 * Histogram.width)
      assert.isAtLeast(found?.p90Seconds ?? 0, 18)
      assert.isAtMost(found?.p90Seconds ?? 0, 18 * Histogram.width)
      assert.strictEqual(found?.waitSeconds, 0)
    }).pipe(Effect.provide(layer))
  )

  it.effect("include the queue before there are runs to learn from", () =>
    Effect.gen(function* () {
      yield* ran(1)
      yield* queue(3)
      const found = yield* expected()
      const { waitSeconds, ...learned } = found ?? {}
      assert.deepStrictEqual(learned, { p50Seconds: null, p90Seconds: null, samples: 0 })
      // Due for longer than four runs of a second take with two at once.
      assert.isAbove(waitSeconds ?? 0, 2)
      assert.isAbove((yield* expected(wrapper.model.endpoint))?.waitSeconds ?? 0, waitSeconds ?? 0)
    }).pipe(Effect.provide(layer))
  )

  it.effect("are shared by a model and its wrappers", () =>
    Effect.gen(function* () {
      yield* Effect.forEach([1, 1, 1], (seconds) => ran(seconds))
      yield* Effect.forEach([1, 1, 1], (seconds) => ran(seconds, wrapper.model.endpoint))
      const found = yield* expected()
      assert.strictEqual(found?.samples, 6)
      assert.deepStrictEqual(yield* expected(wrapper.model.endpoint), found)
    }).pipe(Effect.provide(layer))
  )

  it.effect("include the time of the queue, and the rest of a pause", () =>
    Effect.gen(function* () {
      yield* Effect.replicateEffect(
        Effect.suspend(() => ran(10)),
        5
      )
      yield* queue(7)
      const found = yield* expected()
      // Eight runs of 10 s, two at once; the queued requests have waited for less.
      assert.strictEqual(found?.waitSeconds, (8 * (found?.p50Seconds ?? 0)) / 2)
      const health = yield* ProviderHealth
      health.begin(gpu).ended({ _tag: "RateLimited", retryAfterMs: 1_020_000 })
      assert.strictEqual((yield* expected())?.waitSeconds, (found?.waitSeconds ?? 0) + 1_000)
    }).pipe(Effect.provide(layer))
  )
})

describe("The expectation of a model without a provider", () => {
  it.effect("has no wait, whatever its queue", () =>
    Effect.gen(function* () {
      yield* Effect.replicateEffect(
        Effect.suspend(() => ran(10)),
        5
      )
      const found = yield* expected()
      assert.deepStrictEqual([found?.samples, found?.waitSeconds], [5, null])
    }).pipe(
      Effect.provide(layer),
      Effect.provideService(WaitingFor, () => worker)
    )
  )
})

describe("An estimated wait", () => {
  const pace = { p50Seconds: 10, runs: 2, blockedMs: 0 }

  it("is zero when due requests are dispatched at once", () => {
    assert.strictEqual(LearnedExpectations.waitSeconds({ queued: 0, oldestMs: 0 }, pace), 0)
    assert.strictEqual(LearnedExpectations.waitSeconds({ queued: 50, oldestMs: 999 }, pace), 0)
  })

  it("is at least the wait of the oldest request when the queue does not move", () => {
    assert.strictEqual(LearnedExpectations.waitSeconds({ queued: 1, oldestMs: 3_600_000 }, pace), 3_600)
    assert.strictEqual(LearnedExpectations.waitSeconds({ queued: 9, oldestMs: 5_000 }, pace), 50)
  })

  it("begins when a provider accepts runs again", () => {
    const blocked = { ...pace, blockedMs: 30_000 }
    assert.strictEqual(LearnedExpectations.waitSeconds({ queued: 0, oldestMs: 0 }, blocked), 30)
  })
})
