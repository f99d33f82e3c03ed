/** The sweep and runs past their expected duration (contract, "States and transitions"; decisions, "Overdue"). */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { AppendFaults } from "#test/support/AppendFaults.ts"
import * as Facts from "#test/support/RequestFacts.ts"
import { succeeded } from "#test/support/TestModels.ts"
import * as TestNode from "#test/support/TestNode.ts"
import { TestProvider } from "#test/support/TestProvider.ts"
import {
  dispatch,
  execute,
  models,
  nothing,
  patient,
  running,
  submit,
  sweep
} from "#test/support/src/features/dispatch/sweep/SweepSupport.ts"
import * as Until from "#test/support/Until.ts"

const node = TestNode.layer({ models })
const idle = TestNode.layer({ models, dispatches: false })

describe("A run past its expected duration", () => {
  it.effect("that its provider reports alive is not interrupted, and no retry is counted", () =>
    Effect.gen(function* () {
      const provider = yield* TestProvider
      provider.lookAs(() => Effect.succeed({ _tag: "Alive" }))
      const { id, run } = yield* running("job-7")
      yield* TestClock.adjust("5 seconds")
      const before = yield* Facts.types(id)
      assert.deepStrictEqual(yield* sweep, nothing)
      assert.deepStrictEqual(provider.looked(), ["job-7"])
      assert.deepStrictEqual(yield* Facts.types(id), before)
      assert.strictEqual((yield* Facts.snapshot(id)).request.sweepRetries, 0)
      yield* run.ends(succeeded())
      assert.lengthOf(Facts.ofType(yield* Facts.untilEnd(id), "RequestCompleted"), 1)
    }).pipe(Effect.provide(node))
  )

  it.effect("is not looked up before", () =>
    Effect.gen(function* () {
      const provider = yield* TestProvider
      const { id } = yield* running("job-7")
      yield* Effect.all([Facts.untilType(id, "RequestStarted"), TestClock.adjust("20 millis")], {
        concurrency: 2
      })
      yield* TestClock.adjust("979 millis")
      yield* sweep
      assert.deepStrictEqual(provider.looked(), [])
      yield* TestClock.adjust("1 millis")
      yield* sweep
      assert.deepStrictEqual(provider.looked(), ["job-7"])
    }).pipe(Effect.provide(node))
  )

  it.effect("that this node is working on is alive, whatever the provider reports", () =>
    Effect.gen(function* () {
      const provider = yield* TestProvider
      const id = yield* submit()
      yield* provider.next
      yield* TestClock.adjust("5 seconds")
      assert.deepStrictEqual(yield* sweep, nothing)
      assert.deepStrictEqual(provider.looked(), [])
      assert.notInclude(yield* Facts.types(id), "SweepRetried")
    }).pipe(Effect.provide(node))
  )

  it.effect("of another live node belongs to that node; of a dead one it is lost", () =>
    Effect.gen(function* () {
      const other = yield* TestNode.start({ name: "other", models, dispatches: false })
      const self = yield* TestNode.start({ name: "self", models, dispatches: false })
      const id = yield* self.on(submit())
      yield* self.on(execute(id, dispatch(0, "other")))
      yield* TestClock.adjust("5 seconds")
      assert.deepStrictEqual(yield* self.on(sweep), nothing)
      yield* other.crash
      assert.deepStrictEqual(yield* self.on(sweep), { ...nothing, lost: 1 })
      const [retried] = Facts.ofType(yield* Facts.events(id), "SweepRetried")
      assert.deepInclude(retried, { reason: "lost", attempt: 1, retry: 1 })
    }).pipe(Effect.provide(TestNode.storeLayer))
  )

  it.effect("of a dead node is left for a while to the node that repeats it", () =>
    Effect.gen(function* () {
      const other = yield* TestNode.start({ name: "other", models, dispatches: false })
      const self = yield* TestNode.start({ name: "self", models, dispatches: false })
      const id = yield* self.on(submit())
      yield* self.on(execute(id, dispatch(0, "other")))
      const heir = yield* TestNode.start({ name: "heir", models })
      // It lives but cannot record anything now.
      yield* heir.on(Effect.map(AppendFaults, (faults) => faults.decide(() => "refused")))
      yield* other.crash
      yield* TestClock.adjust("5 seconds")
      assert.strictEqual((yield* self.on(sweep)).lost, 0)
      yield* TestClock.adjust("14 seconds")
      assert.strictEqual((yield* self.on(sweep)).lost, 0)
      yield* TestClock.adjust("1 second")
      assert.strictEqual((yield* self.on(sweep)).lost, 1)
      assert.include(yield* Facts.types(id), "SweepRetried")
    }).pipe(Effect.provide(TestNode.storeLayer))
  )

  it.effect("that has finished is completed and billed, and its local follower is stopped", () =>
    Effect.gen(function* () {
      const provider = yield* TestProvider
      provider.lookAs(() => Effect.succeed({ _tag: "Finished", outcome: succeeded({ value: "found" }) }))
      const { id, run } = yield* running("job-7")
      yield* TestClock.adjust("5 seconds")
      assert.deepStrictEqual(yield* sweep, { ...nothing, finished: 1 })
      const [completed] = Facts.ofType(yield* Facts.untilEnd(id), "RequestCompleted")
      assert.deepInclude(completed?.billing, { status: "charged" })
      yield* run.stopRequested
      yield* run.ends({ _tag: "Stopped" })
      yield* untilIdle
      assert.notInclude(yield* Facts.types(id), "LateOutcomeIgnored")
      assert.deepStrictEqual(yield* sweep, nothing)
    }).pipe(Effect.provide(node))
  )

  it.effect("that has failed at the provider ends with that failure", () =>
    Effect.gen(function* () {
      const outcome = { _tag: "ModelFailed", message: "out of memory" } as const
      ;(yield* TestProvider).lookAs(() => Effect.succeed({ _tag: "Finished", outcome }))
      const { id } = yield* running("job-7")
      yield* TestClock.adjust("5 seconds")
      yield* sweep
      const [completed] = Facts.ofType(yield* Facts.untilEnd(id), "RequestCompleted")
      assert.strictEqual(completed?.billing.status, "failed")
      assert.strictEqual(completed?.error, "out of memory")
    }).pipe(Effect.provide(node))
  )

  it.effect("that is lost is retried, run again, and may still succeed", () =>
    Effect.gen(function* () {
      const provider = yield* TestProvider
      const { id, run } = yield* running("job-7")
      yield* TestClock.adjust("5 seconds")
      assert.deepStrictEqual(yield* sweep, { ...nothing, lost: 1 })
      const retried = yield* Facts.untilType(id, "SweepRetried")
      assert.deepInclude(retried, { reason: "lost", attempt: 1, retry: 1, dueAt: 65_000 })
      yield* run.stopRequested
      yield* run.ends(succeeded({ value: "late" }))
      yield* untilIdle
      yield* TestClock.adjust("60 seconds")
      const second = yield* provider.next
      assert.strictEqual(second.job.attempt, 2)
      yield* second.ends(succeeded())
      const completed = Facts.ofType(yield* Facts.untilEnd(id), "RequestCompleted")
      assert.deepStrictEqual(
        completed.map(({ attempt, billing }) => [attempt, billing.status]),
        [[2, "charged"]]
      )
    }).pipe(Effect.provide(node))
  )

  it.effect("that is claimed here without a worker fiber is lost", () =>
    Effect.gen(function* () {
      const id = yield* submit()
      yield* execute(id, dispatch(0))
      yield* TestClock.adjust("5 seconds")
      assert.deepStrictEqual(yield* sweep, { ...nothing, lost: 1 })
      assert.strictEqual((yield* Facts.snapshot(id)).request.phase._tag, "Queued")
    }).pipe(Effect.provide(idle))
  )

  it.effect("that is lost and cancelled by its client is not run again", () =>
    Effect.gen(function* () {
      const id = yield* submit()
      yield* execute(id, dispatch(0), { _tag: "Cancel", at: 1 })
      yield* TestClock.adjust("5 seconds")
      yield* sweep
      const [cancelled] = Facts.ofType(yield* Facts.events(id), "RequestCancelled")
      assert.strictEqual(cancelled?.reason, "requested")
    }).pipe(Effect.provide(idle))
  )

  it.effect("whose model is gone is failed by its next run", () =>
    Effect.gen(function* () {
      const before = yield* TestNode.start({ name: "before", models })
      const { id } = yield* before.on(running("job-7"))
      yield* before.crash
      yield* TestClock.adjust("5 seconds")
      const after = yield* TestNode.start({ name: "after", models: [], dispatches: false })
      assert.deepStrictEqual(yield* after.on(sweep), { ...nothing, lost: 1 })
      assert.include(yield* Facts.types(id), "SweepRetried")
    }).pipe(Effect.provide(TestNode.storeLayer))
  )

  it.effect("whose provider does not answer, or fails, is left unchanged", () =>
    Effect.gen(function* () {
      const provider = yield* TestProvider
      const first = yield* running("hangs")
      const second = yield* running("dies")
      const third = yield* running("is lost")
      provider.lookAs((_, jobId) => {
        if (jobId === "hangs") return Effect.never
        return jobId === "dies" ? Effect.die("a bug") : Effect.succeed({ _tag: "Unknown" })
      })
      yield* TestClock.adjust("5 seconds")
      const sweeping = yield* Effect.forkChild(sweep)
      // Not delayed by the others.
      yield* Facts.untilType(third.id, "SweepRetried")
      yield* TestClock.adjust("10 seconds")
      assert.deepStrictEqual(yield* Fiber.join(sweeping), { ...nothing, lost: 1 })
      for (const { id } of [first, second]) assert.notInclude(yield* Facts.types(id), "SweepRetried")
    }).pipe(Effect.provide(node))
  )
})

/** Waits until this node has no runs. */
const untilIdle = Effect.flatMap(TestProvider, (provider) =>
  Until.until(
    "no runs",
    Effect.sync(() => provider.running(patient.model.endpoint)),
    ({ now }) => now === 0
  )
)
