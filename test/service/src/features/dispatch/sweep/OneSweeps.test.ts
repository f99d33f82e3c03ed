/** One node sweeps for all while it holds the lease, and the next continues when it is gone. */
import { assert, describe, it } from "@effect/vitest"
import { Duration, Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { Retention } from "#projections/retention/Retention.ts"
import { FileSweep } from "#src/features/files/FileSweep.ts"
import { RetentionSweep } from "#src/features/retention/RetentionSweep.ts"
import { AccountErasing, TakesRequests } from "#src/features/retention/AccountErasing.ts"
import * as Facts from "#test/support/RequestFacts.ts"
import * as TestNode from "#test/support/TestNode.ts"
import { TestProvider } from "#test/support/TestProvider.ts"
import * as Erased from "#test/support/src/features/retention/Erased.ts"
import {
  dispatch,
  execute,
  models,
  outputWithMedia,
  submit
} from "#test/support/src/features/dispatch/sweep/SweepSupport.ts"
import { rest } from "#test/support/src/features/dispatch/Cluster.ts"

const start = (name: string) => TestNode.start({ name, models, dispatches: false, sweeps: true })

const minute = Effect.andThen(TestClock.adjust("60 seconds"), rest)

describe("The sweep of several nodes", () => {
  it.effect("runs on one node, and on another when that is gone", () =>
    Effect.gen(function* () {
      const provider = yield* TestProvider
      provider.lookAs(() => Effect.succeed({ _tag: "Alive" }))
      const a = yield* start("a")
      const b = yield* start("b")
      const id = yield* a.on(submit())
      const accepted = { _tag: "RecordAccepted", at: 0, attempt: 1, jobId: "job-7" } as const
      yield* a.on(execute(id, dispatch(0, "c"), accepted))
      yield* rest
      for (const count of [1, 2, 3]) {
        yield* minute
        assert.lengthOf(provider.looked(), count)
      }
      yield* a.stop
      yield* minute
      assert.lengthOf(provider.looked(), 4)
      yield* b.stop
    }).pipe(Effect.provide(TestNode.storeLayer))
  )

  it.effect("stores the files of a dead node's runs, and not those of a live one", () =>
    Effect.gen(function* () {
      const a = yield* start("a")
      const b = yield* start("b")
      const unfinished = Effect.fnUntraced(function* (node: string) {
        const id = yield* submit()
        yield* execute(id, dispatch(0, node), outputWithMedia(0))
        return id
      })
      const ofDead = yield* a.on(unfinished("c"))
      const ofHolder = yield* a.on(unfinished("a"))
      const ofOther = yield* a.on(unfinished("b"))
      yield* b.crash
      yield* minute
      for (const id of [ofDead, ofHolder, ofOther]) yield* Facts.until(id, (all) => all.length > 4)
    }).pipe(Effect.provide(TestNode.storeLayer))
  )

  it.effect("is not needed for the files of a live node's own runs", () =>
    Effect.gen(function* () {
      const a = yield* start("a")
      const b = yield* start("b")
      const id = yield* b.on(submit())
      yield* b.on(execute(id, dispatch(0, "b"), outputWithMedia(0)))
      yield* minute
      yield* Facts.until(id, (all) => all.length > 4)
      yield* a.stop
    }).pipe(Effect.provide(TestNode.storeLayer))
  )
})

const reactor = RetentionSweep.layer.pipe(
  Layer.provide(AccountErasing.layer),
  Layer.provide(FileSweep.layer),
  Layer.provide(Retention.layer),
  Layer.provide(Layer.succeed(TakesRequests, true))
)

describe("The reactor of retention of several nodes", () => {
  it.effect("erases on the node with the lease, and continues on another when that is gone", () =>
    Effect.gen(function* () {
      const a = yield* TestNode.start({ name: "a", dispatches: false })
      const b = yield* TestNode.start({ name: "b", dispatches: false })
      const id = yield* a.on(Erased.completedWithoutFile())
      yield* b.on(
        Effect.gen(function* () {
          yield* TestClock.adjust(Duration.days(31))
          for (let minutes = 0; minutes < 3; minutes++) yield* minute
          assert.notInclude(yield* Facts.types(id), "PayloadsErased")
          yield* a.crash
          yield* minute
          yield* Facts.untilType(id, "PayloadsErased")
        }).pipe(Effect.provide(reactor))
      )
    }).pipe(Effect.provide(TestNode.storeLayer))
  )
})
