/** What the queue reveals about workers of other nodes. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, References, Stream } from "effect"
import { ModelEndpoint } from "#domain/ModelEndpoint.ts"
import { DueWork } from "#projections/due-work/DueWork.ts"
import * as DueWorkProjection from "#projections/due-work/DueWorkProjection.ts"
import { type HeardNode, NodeReports } from "#src/platform/cluster/NodeReports.ts"
import { Nodes } from "#src/platform/cluster/Nodes.ts"
import * as ElsewhereServed from "#src/features/providers/waiting/Waits.ts"
import { SteadyTime } from "#src/kernel/time/SteadyTime.ts"
import * as ReadSide from "#test/support/projections/ReadSide.ts"
import * as RequestLog from "#test/support/projections/RequestLog.ts"

const nodes = (...live: ReadonlyArray<string>) =>
  Layer.succeed(Nodes, { self: "a", isAlive: () => true, live: () => live, changes: Stream.never })

/** This long after the requests became due, ms. */
const at = (now: number) =>
  Layer.succeed(SteadyTime, { now: Effect.succeed(now), nowOf: () => now, aheadOf: () => 0 })

const readSide = DueWork.layer.pipe(
  Layer.provideMerge(ReadSide.layer),
  Layer.provide(Layer.succeed(References.MinimumLogLevel, "None"))
)

const silent = {
  contribute: () => Effect.void,
  heard: () => [],
  signal: () => undefined,
  signals: Stream.never
}

const reportOf = (stuck: ReadonlyArray<string> | null, index: number): HeardNode => ({
  name: `other-${index}`,
  isSelf: false,
  isLive: true,
  startedAt: 0,
  heardAt: 0,
  parts: stuck === null ? {} : { stuck }
})

const left = ModelEndpoint.make("acme/left")
const busy = ModelEndpoint.make("acme/busy")
const unasked = ModelEndpoint.make("acme/unasked")

const log = Effect.gen(function* () {
  yield* RequestLog.append(1, RequestLog.submitted(RequestLog.alice, left, 0))
  yield* RequestLog.append(2, RequestLog.submitted(RequestLog.alice, busy, 0))
  yield* RequestLog.append(3, RequestLog.submitted(RequestLog.alice, busy, 0), RequestLog.dispatched(1, 0))
  yield* ReadSide.settle(DueWorkProjection.projection.name)
})

const served = Effect.gen(function* () {
  const isServed = yield* yield* ElsewhereServed.makeElsewhereServed
  return [left, busy, unasked].map(isServed)
})

describe("A model without workers on this node", () => {
  it.effect("is served by another node while that runs its requests", () =>
    Effect.gen(function* () {
      yield* log
      const found = yield* Effect.provide(served, Layer.merge(nodes("a", "b"), at(10_001)))
      assert.deepStrictEqual(found, [false, true, true])
    }).pipe(Effect.provide(readSide))
  )

  it.effect("counts as served until its requests have been due for longer than workers take", () =>
    Effect.gen(function* () {
      yield* log
      const found = yield* Effect.provide(served, Layer.merge(nodes("a", "b"), at(9_000)))
      assert.deepStrictEqual(found, [true, true, true])
    }).pipe(Effect.provide(readSide))
  )

  it.effect("is served unless all other nodes report that it is stuck there, too", () =>
    Effect.gen(function* () {
      yield* log
      const reported = (...stuck: ReadonlyArray<ReadonlyArray<string> | null>) =>
        served.pipe(
          Effect.provide(Layer.merge(nodes("a", "b", "c"), at(10_001))),
          Effect.provideService(NodeReports, { ...silent, heard: () => stuck.map(reportOf) })
        )
      const all = [left, busy, unasked]
      assert.deepStrictEqual(yield* reported(all, [left]), [false, true, true])
      // One of another release says nothing, so the queue decides.
      assert.deepStrictEqual(yield* reported(all, null), [false, true, true])
      assert.deepStrictEqual(yield* reported(all, all), [false, false, false])
    }).pipe(Effect.provide(readSide))
  )

  it.effect("is not served when there is no other node", () =>
    Effect.gen(function* () {
      yield* log
      const found = yield* Effect.provide(served, Layer.merge(nodes("a"), at(0)))
      assert.deepStrictEqual(found, [false, false, false])
    }).pipe(Effect.provide(readSide))
  )
})
