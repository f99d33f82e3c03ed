/** A node's runs after a graceful stop or a crash. */
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { Runs } from "#src/features/dispatch/Runs.ts"
import { RequestActors } from "#src/features/requests/RequestActors.ts"
import { AppendFaults } from "#test/support/AppendFaults.ts"
import * as Facts from "#test/support/RequestFacts.ts"
import { succeeded, testModel, triple } from "#test/support/TestModels.ts"
import * as TestNode from "#test/support/TestNode.ts"
import { TestProvider } from "#test/support/TestProvider.ts"
import * as TestTime from "#test/support/TestTime.ts"
import * as Until from "#test/support/Until.ts"

const patient = testModel("test/patient", { timeoutSeconds: 100_000 })
const models = [patient, triple]
const start = (name: string) => TestNode.start({ name, models })
const request = Facts.submit({ model: patient })

/** Crashes a node while it runs a request. Returns the request, the dead node and its run. */
const crashed = Effect.gen(function* () {
  const dead = yield* start("dead")
  const id = yield* dead.on(request)
  const run = yield* (yield* TestProvider).next
  yield* dead.crash
  return { dead, id, run }
})

describe("After a crash", () => {
  it.effect("the next node repeats the dead node's run, as another attempt", () =>
    Effect.gen(function* () {
      const { id } = yield* crashed
      const heir = yield* start("heir")
      const requeued = yield* heir.on(Facts.untilType(id, "RequestRequeued"))
      assert.deepInclude(requeued, { attempt: 1, reason: "lost", dueAt: 250 })
      yield* TestClock.adjust("250 millis")
      const second = yield* (yield* TestProvider).next
      assert.strictEqual(second.job.attempt, 2)
      yield* second.ends(succeeded())
      const all = yield* heir.on(Facts.untilEnd(id))
      assert.deepStrictEqual(
        Facts.ofType(all, "DispatchStarted").map(({ node }) => node),
        ["dead", "heir"]
      )
    }).pipe(Effect.provide(TestNode.storeLayer))
  )

  it.effect("a late end of the first run does not end the second", () =>
    Effect.gen(function* () {
      const { dead, id, run } = yield* crashed
      const heir = yield* start("heir")
      yield* heir.on(Facts.untilType(id, "RequestRequeued"))
      yield* TestClock.adjust("250 millis")
      const second = yield* (yield* TestProvider).next
      yield* dead.revive
      yield* run.ends(succeeded({ value: "first" }))
      yield* untilIdle(dead)
      assert.notInclude(yield* Facts.types(id), "RequestCompleted")
      yield* second.ends(succeeded({ value: "second" }))
      const all = yield* Facts.untilEnd(id)
      assert.deepStrictEqual(
        Facts.ofType(all, "RequestCompleted").map(({ attempt }) => attempt),
        [2]
      )
    }).pipe(Effect.provide(TestNode.storeLayer))
  )

  it.effect("the end of the first run after the end of the request is recorded once as ignored", () =>
    Effect.gen(function* () {
      const { dead, id, run } = yield* crashed
      const heir = yield* start("heir")
      yield* heir.on(Facts.untilType(id, "RequestRequeued"))
      yield* TestClock.adjust("250 millis")
      yield* (yield* (yield* TestProvider).next).ends(succeeded())
      yield* Facts.untilEnd(id)
      yield* dead.revive
      yield* run.ends(succeeded())
      yield* untilIdle(dead)
      const late = {
        _tag: "RecordOutcome",
        at: 999,
        attempt: 1,
        startedAt: null,
        outcome: { _tag: "Stopped" }
      } as const
      yield* dead.on(Effect.flatMap(RequestActors, (actors) => actors.execute(id, late)))
      const ignored = Facts.ofType(yield* Facts.events(id), "LateOutcomeIgnored")
      assert.deepStrictEqual(
        ignored.map(({ attempt, outcome }) => [attempt, outcome]),
        [[1, "Succeeded"]]
      )
    }).pipe(Effect.provide(TestNode.storeLayer))
  )

  it.effect("a job with a known name at the provider is followed, not run again", () =>
    Effect.gen(function* () {
      const { id } = yield* crashedWithJob
      const heir = yield* start("heir")
      const followed = yield* (yield* TestProvider).next
      assert.deepInclude(followed, { jobId: "job-7" })
      assert.strictEqual(followed.job.attempt, 1)
      assert.strictEqual(yield* heir.on(Effect.map(Runs, (runs) => runs.count("test/patient"))), 1)
      yield* followed.ends(succeeded())
      const all = yield* heir.on(Facts.untilEnd(id))
      assert.lengthOf(Facts.ofType(all, "DispatchStarted"), 1)
      assert.strictEqual(Facts.ofType(all, "RequestCompleted")[0]?.attempt, 1)
    }).pipe(Effect.provide(TestNode.storeLayer))
  )

  it.effect("a followed job has the rest of its model's limit, and time to collect its end", () =>
    Effect.gen(function* () {
      const limited = testModel("test/limited", { concurrency: 2, timeoutSeconds: 60 })
      const provider = yield* TestProvider
      const dead = yield* TestNode.start({ name: "dead", models: [limited] })
      const begin = Effect.fnUntraced(function* (jobId: string) {
        const id = yield* dead.on(Facts.submit({ model: limited }))
        const run = yield* provider.next
        yield* run.does(({ accepted, started }) => Effect.andThen(accepted(jobId), started))
        yield* TestClock.adjust("20 millis")
        yield* Facts.untilType(id, "RequestStarted")
      })
      yield* begin("early")
      yield* TestClock.adjust("30 seconds")
      yield* begin("late")
      yield* dead.crash
      yield* TestClock.adjust("28 seconds")
      yield* TestNode.start({ name: "heir", models: [limited] })
      const followed = [yield* provider.next, yield* provider.next]
      const stopping = yield* Effect.forEach(followed, ({ jobId, stopRequested }) =>
        Effect.map(Effect.forkScoped(stopRequested), (fiber) => ({ jobId, fiber }))
      )
      const stopped = () =>
        stopping.flatMap(({ fiber, jobId }) => (fiber.pollUnsafe() === undefined ? [] : [jobId]))
      yield* TestClock.adjust("4900 millis")
      assert.deepStrictEqual(stopped(), [])
      yield* TestClock.adjust("200 millis")
      assert.deepStrictEqual(stopped(), ["early"])
      yield* TestClock.adjust("27 seconds")
      assert.deepStrictEqual(stopped().toSorted(), ["early", "late"])
    }).pipe(Effect.provide(TestNode.storeLayer))
  )

  it.effect("a followed job counts before more runs of its model are claimed", () =>
    Effect.gen(function* () {
      const { dead } = yield* crashedWithJob
      yield* dead.revive
      const waiting = yield* dead.on(request)
      yield* dead.crash
      const heir = yield* start("heir")
      const followed = yield* (yield* TestProvider).next
      assert.strictEqual(followed.jobId, "job-7")
      yield* followed.ends(succeeded())
      assert.strictEqual((yield* (yield* TestProvider).next).job.requestId, waiting)
      // The dead node's process still follows its run.
      assert.isAtMost((yield* TestProvider).running("test/patient").most, 2)
      assert.strictEqual(yield* heir.on(Effect.map(Runs, (runs) => runs.count("test/patient"))), 1)
    }).pipe(Effect.provide(TestNode.storeLayer))
  )

  it.effect("a job is followed once, even when the dispatcher restarts", () =>
    Effect.gen(function* () {
      const provider = yield* TestProvider
      yield* crashedWithJob
      const heir = yield* start("heir")
      const followed = yield* provider.next
      yield* heir.on(Effect.map(AppendFaults, (faults) => faults.fail("DispatchStarted", 1)))
      const id = yield* heir.on(Facts.submit({ model: triple }))
      yield* TestTime.passDuring(provider.next)
      assert.deepStrictEqual(provider.begun().slice(1), [followed.job.requestId, id])
    }).pipe(Effect.provide(TestNode.storeLayer))
  )

  it.effect("more followed jobs than their model's current concurrency leave no slots for others", () =>
    Effect.gen(function* () {
      const provider = yield* TestProvider
      const endpoint = "test/shrunk"
      const before = testModel(endpoint, { concurrency: 3 })
      const dead = yield* TestNode.start({ name: "dead", models: [before] })
      yield* Effect.replicateEffect(dead.on(Facts.submit({ model: before })), 5)
      for (const job of ["job-1", "job-2", "job-3"]) {
        yield* (yield* provider.next).does(({ accepted }) => accepted(job))
      }
      yield* dead.crash
      const heir = yield* TestNode.start({ name: "heir", models: [testModel(endpoint)] })
      const runs = yield* heir.on(Runs)
      const followed = [yield* provider.next, yield* provider.next, yield* provider.next]
      for (const run of followed) {
        assert.isNotNull(run.jobId)
        assert.strictEqual(provider.begun().length, 6)
        yield* run.ends(succeeded())
        yield* Facts.untilEnd(run.job.requestId)
        yield* TestClock.adjust("10 seconds")
      }
      assert.isNull((yield* provider.next).jobId)
      assert.strictEqual(runs.count(endpoint), 1)
    }).pipe(Effect.provide(TestNode.storeLayer))
  )

  it.effect("a client can still cancel a followed job", () =>
    Effect.gen(function* () {
      const { id } = yield* crashedWithJob
      const heir = yield* start("heir")
      const followed = yield* (yield* TestProvider).next
      const cancelling = yield* Effect.forkScoped(heir.on(Facts.cancel(id, patient)))
      yield* followed.stopRequested
      yield* followed.ends({ _tag: "Stopped" })
      assert.strictEqual((yield* Fiber.join(cancelling)).request.phase._tag, "Cancelled")
    }).pipe(Effect.provide(TestNode.storeLayer))
  )

  it.effect("a run with a requested cancel is not repeated: its request is cancelled", () =>
    Effect.gen(function* () {
      const { dead, id } = yield* crashed
      yield* dead.revive
      yield* Effect.forkScoped(dead.on(Facts.cancel(id, patient)))
      yield* Facts.untilType(id, "CancelRequested")
      yield* dead.crash
      yield* start("heir")
      assert.deepStrictEqual(
        Facts.terminal(yield* Facts.untilEnd(id)).map(({ _tag }) => _tag),
        ["RequestCancelled"]
      )
      assert.lengthOf((yield* TestProvider).begun(), 1)
    }).pipe(Effect.provide(TestNode.storeLayer))
  )

  it.effect("every claim is taken over, also beyond one page", () =>
    Effect.gen(function* () {
      const count = 1_200
      const wide = testModel("test/wide", { concurrency: count, timeoutSeconds: 100_000 })
      const dead = yield* TestNode.start({ name: "dead", models: [wide] })
      const ids = yield* Effect.replicateEffect(dead.on(Facts.submit({ model: wide })), count)
      const provider = yield* TestProvider
      yield* Effect.replicateEffect(provider.next, count, { discard: true })
      yield* dead.crash
      yield* TestNode.start({ name: "heir", models: [wide] })
      yield* Effect.forEach(ids, (id) => Facts.untilType(id, "RequestRequeued"), { discard: true })
    }).pipe(Effect.provide(TestNode.storeLayer))
  )
})

describe("A node that shuts down gracefully", () => {
  it.effect("returns its runs, and the next one starts them at once", () =>
    Effect.gen(function* () {
      const provider = yield* TestProvider
      const first = yield* start("first")
      const ids = yield* Effect.replicateEffect(first.on(Facts.submit({ model: triple })), 4)
      const runs = [yield* provider.next, yield* provider.next, yield* provider.next]
      yield* first.stop
      yield* Effect.forEach(runs, ({ interrupted }) => interrupted)
      for (const id of ids.slice(0, 3)) {
        const [requeued] = Facts.ofType(yield* Facts.events(id), "RequestRequeued")
        assert.deepInclude(requeued, { reason: "shutdown", attempt: 1, dueAt: 0 })
      }
      provider.answerWith(() => Effect.succeed(succeeded()))
      yield* start("second")
      for (const id of ids) {
        const all = yield* Facts.untilEnd(id)
        assert.lengthOf(Facts.ofType(all, "RequestCompleted"), 1)
      }
    }).pipe(Effect.provide(TestNode.storeLayer))
  )

  it.effect("does so even when the log rejects outcomes, and the next one repeats unrecorded runs", () =>
    Effect.gen(function* () {
      const provider = yield* TestProvider
      const first = yield* start("first")
      const id = yield* first.on(request)
      const run = yield* provider.next
      const tried = yield* Deferred.make<void>()
      const faults = yield* first.on(AppendFaults)
      faults.decide(() => {
        Deferred.doneUnsafe(tried, Effect.void)
        return "refused"
      })
      yield* run.ends(succeeded())
      yield* Deferred.await(tried)
      yield* first.stop
      assert.notInclude(yield* Facts.types(id), "RequestCompleted")
      provider.answerWith(() => Effect.succeed(succeeded()))
      const second = yield* start("second")
      yield* second.on(Facts.untilType(id, "RequestRequeued"))
      yield* TestClock.adjust("250 millis")
      assert.lengthOf(Facts.ofType(yield* Facts.untilEnd(id), "RequestCompleted"), 1)
    }).pipe(Effect.provide(TestNode.storeLayer))
  )

  it.effect("leaves a job that continues at the provider to the next node", () =>
    Effect.gen(function* () {
      const provider = yield* TestProvider
      const first = yield* start("first")
      const id = yield* first.on(request)
      yield* (yield* provider.next).does(({ accepted }) => accepted("job-7"))
      yield* first.stop
      yield* start("second")
      const followed = yield* provider.next
      assert.strictEqual(followed.jobId, "job-7")
      yield* followed.ends(succeeded())
      assert.lengthOf(Facts.ofType(yield* Facts.untilEnd(id), "DispatchStarted"), 1)
    }).pipe(Effect.provide(TestNode.storeLayer))
  )

  it.effect("completes the cancels that clients requested", () =>
    Effect.gen(function* () {
      const first = yield* start("first")
      const id = yield* first.on(request)
      const run = yield* (yield* TestProvider).next
      yield* Effect.forkScoped(first.on(Facts.cancel(id, patient)))
      yield* run.stopRequested
      yield* first.stop
      assert.deepStrictEqual(
        Facts.terminal(yield* Facts.events(id)).map(({ _tag }) => _tag),
        ["RequestCancelled"]
      )
    }).pipe(Effect.provide(TestNode.storeLayer))
  )
})

const crashedWithJob = Effect.gen(function* () {
  const dead = yield* start("dead")
  const id = yield* dead.on(request)
  const run = yield* (yield* TestProvider).next
  yield* run.does(({ accepted }) => accepted("job-7"))
  yield* dead.crash
  return { dead, id }
})

/** Waits until the node has no runs and has recorded everything. */
const untilIdle = (node: TestNode.TestNode) =>
  node.on(
    Effect.flatMap(Runs, (runs) =>
      Until.until(
        "no runs",
        Effect.sync(() => runs.count("test/patient")),
        (count) => count === 0
      )
    )
  )
