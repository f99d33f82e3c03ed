import { assert, describe, it } from "@effect/vitest"
import { Array, Effect, Layer } from "effect"
import * as fc from "fast-check"
import type { Event } from "#domain/inference-request/Event.ts"
import { NanoUsd, units } from "#domain/Money.ts"
import { Durations } from "#projections/durations/Durations.ts"
import * as DurationsProjection from "#projections/durations/DurationsProjection.ts"
import * as Histogram from "#projections/durations/Histogram.ts"
import * as ReadSide from "#test/support/projections/ReadSide.ts"
import * as RequestLog from "#test/support/projections/RequestLog.ts"

const { alice, completed, dispatched, echo, requeued, slow, started, submitted, t0 } = RequestLog
const day = 24 * 60 * 60 * 1_000

const received = (attempt: number, at: number): Event => ({
  _tag: "OutputReceived",
  at,
  attempt,
  delivered: units(1),
  payloads: { output: { hash: "out", size: 2 } }
})
const unbilled = (attempt: number, at: number): Event => ({
  _tag: "RequestCompleted",
  at,
  attempt,
  billing: { status: "failed", amount: NanoUsd.make(0n), units: units(0) },
  error: "no"
})

let made = 0

/** A request with one run of this length that ended at `at`. */
const ran = (ms: number, at = t0, model = echo, end: typeof unbilled = completed) =>
  RequestLog.append(
    ++made,
    submitted(alice, model, at - ms),
    dispatched(1, at - ms),
    started(1, at - ms),
    received(1, at),
    end(1, at)
  )

const since = Effect.fnUntraced(function* (at: number) {
  yield* ReadSide.settle(DurationsProjection.projection.name)
  return yield* (yield* Durations).since(at, [
    [echo, echo],
    [slow, slow]
  ])
})

const took = (median: number, { group = echo, p90 = median, runs = 1 } = {}) => ({
  group,
  runs,
  median: Histogram.bucketOf(median),
  p90: Histogram.bucketOf(p90)
})

const layer = Durations.layer.pipe(Layer.provideMerge(ReadSide.layer))

describe("Durations", () => {
  it.effect("are those of the provider's work, from its start to its output, model by model", () =>
    Effect.gen(function* () {
      yield* ran(1_000)
      yield* ran(1_000)
      yield* ran(5_000, t0, slow)
      assert.sameDeepMembers(
        [...(yield* since(t0))],
        [took(1_000, { runs: 2 }), took(5_000, { group: slow })]
      )
    }).pipe(Effect.provide(layer))
  )

  it.effect("combine the models of a group: its median and 90th percentile", () =>
    Effect.gen(function* () {
      for (const seconds of Array.range(1, 10)) {
        yield* ran(seconds * 1_000, t0 + (seconds % 3) * day, seconds % 2 === 0 ? echo : slow)
      }
      yield* ReadSide.settle(DurationsProjection.projection.name)
      const durations = yield* Durations
      assert.deepStrictEqual(
        yield* durations.since(t0, [
          ["both", echo],
          ["both", slow]
        ]),
        [{ ...took(5_000, { p90: 9_000, runs: 10 }), group: "both" }]
      )
      assert.deepStrictEqual(yield* durations.since(t0, []), [])
    }).pipe(Effect.provide(layer))
  )

  it.effect("count the last run, and not earlier failed runs", () =>
    Effect.gen(function* () {
      yield* RequestLog.append(
        ++made,
        submitted(alice, echo),
        dispatched(1),
        started(1, t0),
        requeued(1, t0 + 60_000, t0 + 60_000),
        dispatched(2, t0 + 60_000),
        started(2, t0 + 61_000),
        received(2, t0 + 63_000),
        completed(2, t0 + 64_000)
      )
      // Its second run has not reported its start.
      yield* RequestLog.append(
        ++made,
        submitted(alice, echo),
        dispatched(1),
        started(1, t0),
        requeued(1, t0 + 60_000, t0 + 60_000),
        dispatched(2, t0 + 60_000),
        received(2, t0 + 63_000),
        completed(2, t0 + 64_000)
      )
      assert.deepStrictEqual(yield* since(t0), [took(2_000)])
    }).pipe(Effect.provide(layer))
  )

  it.effect("ignore uncharged requests", () =>
    Effect.gen(function* () {
      yield* ran(1_000, t0, echo, unbilled)
      yield* RequestLog.append(++made, submitted(alice, echo), dispatched(1), started(1), {
        _tag: "RequestCancelled",
        at: t0 + 9,
        reason: "requested"
      })
      assert.deepStrictEqual(yield* since(t0), [])
    }).pipe(Effect.provide(layer))
  )

  it.effect("cover the two weeks before the newest, whatever arrives late", () =>
    Effect.gen(function* () {
      yield* ran(100, t0)
      yield* ran(200, t0 + 13 * day)
      assert.sameDeepMembers([...(yield* since(0))], [took(100, { p90: 200, runs: 2 })])
      assert.deepStrictEqual(yield* since(t0 + day), [took(200)])
      yield* ran(300, t0 + 14 * day)
      yield* ran(400, t0)
      assert.sameDeepMembers([...(yield* since(0))], [took(200, { p90: 300, runs: 2 })])
    }).pipe(Effect.provide(layer))
  )
})

describe("The bound of a bucket", () => {
  it("is at least each duration in it, and at most 7 % more", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 86_400_000 }), (ms) => {
        const bound = Histogram.upperBound(Histogram.bucketOf(ms))
        assert.isAtLeast(bound, ms * (1 - 1e-9))
        assert.isAtMost(bound, ms * Histogram.width * (1 + 1e-9))
      })
    )
  })

  it("of a duration outside the range is the range's bound", () => {
    assert.strictEqual(Histogram.bucketOf(0), Histogram.bucketOf(1))
    assert.strictEqual(Histogram.bucketOf(10 * day), Histogram.bucketOf(day))
  })
})
