/** When sweeps run, what else they find, and which faults they survive. */
import { assert, describe, it } from "@effect/vitest"
import { ConfigProvider, Deferred, Effect, Fiber, Layer } from "effect"
import { TestClock } from "effect/testing"
import type { JobState } from "#src/features/providers/Provider.ts"
import { AppendFaults } from "#test/support/AppendFaults.ts"
import * as Facts from "#test/support/RequestFacts.ts"
import * as TestNode from "#test/support/TestNode.ts"
import { TestProvider } from "#test/support/TestProvider.ts"
import {
  dispatch,
  execute,
  models,
  nothing,
  outputWithMedia,
  running,
  submit,
  sweep
} from "#test/support/src/features/dispatch/sweep/SweepSupport.ts"
import * as Until from "#test/support/Until.ts"

const idle = TestNode.layer({ models, dispatches: false })
const alive: JobState = { _tag: "Alive" }

const everySecond = ConfigProvider.layer(ConfigProvider.fromEnv({ env: { SWEEP_INTERVAL: "1 second" } }))

describe("The sweep", () => {
  it.effect("runs every 60 seconds", () =>
    Effect.gen(function* () {
      const provider = yield* TestProvider
      provider.lookAs(() => Effect.succeed(alive))
      yield* running("job-7")
      const looks = (count: number) =>
        Until.holds(`look ${count}`, () => provider.looked().length === count, provider.looked)
      yield* TestClock.adjust("59 seconds")
      assert.lengthOf(provider.looked(), 0)
      for (const count of [1, 2, 3]) {
        yield* TestClock.adjust(count === 1 ? "1 seconds" : "60 seconds")
        yield* looks(count)
      }
    }).pipe(Effect.provide(TestNode.layer({ models, sweeps: true })))
  )

  it.effect("never overlaps with itself, even if a provider hangs uninterruptibly", () =>
    Effect.gen(function* () {
      const provider = yield* TestProvider
      const released = yield* Deferred.make<JobState>()
      provider.lookAs(() => Effect.uninterruptible(Deferred.await(released)))
      yield* running("job-7")
      /** Lets seconds pass until it was called this often, and returns their number. */
      const untilAsked = Effect.fnUntraced(function* (times: number) {
        for (let seconds = 0; ; seconds++) {
          yield* Effect.replicateEffect(Effect.yieldNow, 100)
          if (provider.looked().length >= times) return seconds
          yield* TestClock.adjust("1 second")
        }
      })
      yield* untilAsked(1)
      assert.isAtLeast(yield* untilAsked(2), 10)
      assert.lengthOf(provider.looked(), 2)
      yield* Deferred.succeed(released, alive)
    }).pipe(Effect.provide(TestNode.layer({ models, sweeps: true }).pipe(Layer.provide(everySecond))))
  )

  it.effect("requested twice at once runs one pass after the other", () =>
    Effect.gen(function* () {
      const provider = yield* TestProvider
      const answer = yield* Deferred.make<JobState>()
      provider.lookAs(() => Deferred.await(answer))
      yield* running("job-7")
      yield* TestClock.adjust("5 seconds")
      const sweeping = yield* Effect.forkChild(Effect.all([sweep, sweep], { concurrency: 2 }))
      yield* Until.holds("a look", () => provider.looked().length > 0, provider.looked)
      yield* Effect.replicateEffect(Effect.yieldNow, 200)
      assert.lengthOf(provider.looked(), 1)
      yield* Deferred.succeed(answer, alive)
      assert.deepStrictEqual(yield* Fiber.join(sweeping), [nothing, nothing])
      assert.lengthOf(provider.looked(), 2)
    }).pipe(Effect.provide(TestNode.layer({ models })))
  )

  it.effect("is not stopped by an unreadable request", () =>
    Effect.gen(function* () {
      const ids = yield* Effect.replicateEffect(submit(), 3)
      for (const id of ids) yield* execute(id, dispatch(0))
      const [, broken] = ids
      if (broken === undefined) return assert.fail()
      yield* Facts.makeUnreadable(broken)
      yield* TestClock.adjust("5 seconds")
      assert.deepStrictEqual(yield* sweep, { ...nothing, lost: 2 })
      assert.deepStrictEqual(yield* sweep, nothing)
    }).pipe(Effect.provide(idle))
  )

  it.effect("is not stopped by a request whose retry the log rejects, and repeats that", () =>
    Effect.gen(function* () {
      const ids = yield* Effect.replicateEffect(submit(), 3)
      for (const id of ids) yield* execute(id, dispatch(0))
      yield* TestClock.adjust("5 seconds")
      ;(yield* AppendFaults).fail("SweepRetried", 1)
      assert.deepStrictEqual(yield* sweep, { ...nothing, lost: 2 })
      assert.deepStrictEqual(yield* sweep, { ...nothing, lost: 1 })
    }).pipe(Effect.provide(idle))
  )

  it.effect("checks every page", () =>
    Effect.gen(function* () {
      const ids = yield* Effect.replicateEffect(submit(), 1_100)
      for (const id of ids) yield* execute(id, dispatch(0))
      yield* TestClock.adjust("5 seconds")
      assert.deepStrictEqual(yield* sweep, { ...nothing, lost: 1_100 })
    }).pipe(Effect.provide(idle))
  )

  it.effect("ends requests past their deadline that no timer ended", () =>
    Effect.gen(function* () {
      const id = yield* submit({ deadlines: { startTimeoutMs: null, cancelAfterMs: 3_000 } })
      yield* TestClock.adjust("2999 millis")
      assert.deepStrictEqual(yield* sweep, nothing)
      yield* TestClock.adjust("1 millis")
      assert.deepStrictEqual(yield* sweep, { ...nothing, expired: 1 })
      const [cancelled] = Facts.ofType(yield* Facts.events(id), "RequestCancelled")
      assert.strictEqual(cancelled?.reason, "expired")
    }).pipe(Effect.provide(idle))
  )
})

describe("A request marked completed with its output media missing", () => {
  /** `node` ran the request. */
  const unfinished = Effect.fnUntraced(function* (node: string) {
    const id = yield* submit()
    yield* execute(id, dispatch(0, node), outputWithMedia(0))
    return id
  })

  it.effect("has its files stored by the sweep, and reaches its end", () =>
    Effect.gen(function* () {
      const id = yield* unfinished("node")
      assert.deepStrictEqual(yield* sweep, { ...nothing, mediaMissing: 1 })
      // There is nothing to store, because this output was never written.
      yield* Facts.until(id, (all) => all.length > 4)
    }).pipe(Effect.provide(idle))
  )

  it.effect("is left to its node while that lives", () =>
    Effect.gen(function* () {
      const other = yield* TestNode.start({ name: "other", models, dispatches: false })
      const self = yield* TestNode.start({ name: "self", models, dispatches: false })
      const id = yield* self.on(unfinished("other"))
      assert.deepStrictEqual(yield* self.on(sweep), nothing)
      yield* other.crash
      assert.deepStrictEqual(yield* self.on(sweep), { ...nothing, mediaMissing: 1 })
      yield* self.on(Facts.until(id, (all) => all.length > 4))
    }).pipe(Effect.provide(TestNode.storeLayer))
  )

  it.effect("continues at once when the next process starts", () =>
    Effect.gen(function* () {
      const first = yield* TestNode.start({ name: "first", models, dispatches: false })
      const id = yield* first.on(unfinished("first"))
      yield* first.crash
      const second = yield* TestNode.start({ name: "second", models, sweeps: true })
      yield* second.on(Facts.until(id, (all) => all.length > 4))
    }).pipe(Effect.provide(TestNode.storeLayer))
  )
})
