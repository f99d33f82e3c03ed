/** The runs of a dead node: each is continued at once by one live node. */
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect } from "effect"
import { TestClock } from "effect/testing"
import type { RequestId } from "#domain/Ids.ts"
import * as InferenceRequest from "#domain/inference-request/InferenceRequest.ts"
import { EventStore } from "#streams/EventStore.ts"
import * as ExpectedVersion from "#streams/ExpectedVersion.ts"
import * as StreamName from "#streams/StreamName.ts"
import { AppendFaults } from "#test/support/AppendFaults.ts"
import { eventData } from "#test/support/EventFixtures.ts"
import * as Facts from "#test/support/RequestFacts.ts"
import { succeeded } from "#test/support/TestModels.ts"
import * as TestNode from "#test/support/TestNode.ts"
import { TestProvider } from "#test/support/TestProvider.ts"
import { claimants, counted, rest, runsOf, start, wide } from "#test/support/src/features/dispatch/Cluster.ts"

const count = 24

/** Node `c` has claimed all of them. */
const claimed = Effect.gen(function* () {
  const provider = yield* TestProvider
  const c = yield* start("c")
  const ids = yield* c.on(Effect.replicateEffect(Facts.submit({ model: wide }), count))
  const runs = yield* Effect.replicateEffect(provider.next, count)
  const a = yield* start("a")
  const b = yield* start("b")
  return { a, b, c, ids, runs }
})

const takeovers = (ids: ReadonlyArray<RequestId>) =>
  Effect.forEach(ids, (id) => Effect.map(Facts.untilType(id, "RunTakenOver"), ({ node }) => node))

describe("Runs of a node that dies", () => {
  it.effect("are returned to the queue at once, each by one node, and run elsewhere", () =>
    Effect.gen(function* () {
      const { a, b, c, ids } = yield* claimed
      const tries = yield* counted([a, b], "RequestRequeued")
      yield* rest
      yield* c.crash
      yield* Effect.forEach(ids, (id) => Facts.untilType(id, "RequestRequeued"))
      yield* rest
      assert.strictEqual(tries(), count)
      ;(yield* TestProvider).answerWith(() => Effect.succeed(succeeded()))
      yield* TestClock.adjust("250 millis")
      const again = (yield* Effect.forEach(ids, Facts.untilEnd)).map((all) => claimants(all)[1])
      assert.lengthOf(again, count)
      assert.deepStrictEqual([...new Set(again)].sort(), ["a", "b"])
    }).pipe(Effect.provide(TestNode.storeLayer))
  )

  it.effect("are followed by one node each if the provider knows their names", () =>
    Effect.gen(function* () {
      const provider = yield* TestProvider
      const { a, b, c, ids, runs } = yield* claimed
      yield* Effect.forEach(runs, ({ does, job }) => does(({ accepted }) => accepted(`of ${job.requestId}`)))
      const tries = yield* counted([a, b], "RunTakenOver")
      yield* c.crash
      const heirs = yield* takeovers(ids)
      const followed = yield* Effect.replicateEffect(provider.next, count)
      yield* rest
      assert.strictEqual(tries(), count)
      assert.lengthOf(provider.begun(), 2 * count)
      for (const { job, jobId } of followed) assert.strictEqual(jobId, `of ${job.requestId}`)
      const counts = ["a", "b"].map((name) => heirs.filter((heir) => heir === name).length)
      assert.deepStrictEqual(yield* runsOf([a, b], wide), counts)
      assert.isAbove(Math.min(...counts), 0)
      yield* Effect.forEach(followed, (run) => run.ends(succeeded()))
      for (const id of ids) assert.deepStrictEqual(claimants(yield* Facts.untilEnd(id)), ["c"])
    }).pipe(Effect.provide(TestNode.storeLayer))
  )

  it.effect("that are followed can be cancelled through any node", () =>
    Effect.gen(function* () {
      const provider = yield* TestProvider
      const { a, b, c, ids, runs } = yield* claimed
      yield* Effect.forEach(runs, ({ does }) => does(({ accepted }) => accepted("job")))
      yield* c.crash
      yield* takeovers(ids)
      for (const run of yield* Effect.replicateEffect(provider.next, count)) {
        const id = run.job.requestId
        yield* Effect.forkScoped(a.on(Facts.cancel(id, wide)))
        yield* run.stopRequested
        yield* run.ends({ _tag: "Stopped" })
        assert.strictEqual(Facts.terminal(yield* Facts.untilEnd(id))[0]?._tag, "RequestCancelled")
      }
      yield* b.stop
    }).pipe(Effect.provide(TestNode.storeLayer))
  )

  it.effect("are followed again when their follower dies too", () =>
    Effect.gen(function* () {
      const provider = yield* TestProvider
      const { a, b, c, ids, runs } = yield* claimed
      yield* Effect.forEach(runs, ({ does }) => does(({ accepted }) => accepted("job")))
      yield* c.crash
      const heirs = yield* takeovers(ids)
      yield* Effect.replicateEffect(provider.next, count)
      yield* a.crash
      const orphans = ids.filter((_, index) => heirs[index] === "a")
      for (const id of orphans) {
        assert.strictEqual((yield* Facts.untilType(id, "RunTakenOver", 2)).node, "b")
      }
      yield* rest
      assert.deepStrictEqual(yield* runsOf([b], wide), [count])
    }).pipe(Effect.provide(TestNode.storeLayer))
  )

  it.effect("are not followed by a second node", () =>
    Effect.gen(function* () {
      const store = yield* EventStore
      const c = yield* start("c")
      const id = yield* c.on(Facts.submit({ model: wide }))
      yield* (yield* (yield* TestProvider).next).does(({ accepted }) => accepted("job"))
      const a = yield* start("a")
      yield* start("z", { dispatches: false })
      const tried = yield* Deferred.make<void>()
      const others = store.append({
        stream: StreamName.make(InferenceRequest.aggregate.category, id),
        expected: ExpectedVersion.Any,
        events: [eventData("taken", "RunTakenOver", { attempt: 1, node: "z" })]
      })
      yield* a.on(
        Effect.map(AppendFaults, (faults) =>
          faults.decide(({ events }) => {
            if (events[0].type === "RunTakenOver" && Deferred.doneUnsafe(tried, Effect.void))
              Effect.runSync(others)
            return "stored"
          })
        )
      )
      yield* c.crash
      yield* Deferred.await(tried)
      yield* rest
      assert.deepStrictEqual(yield* runsOf([a], wide), [0])
      assert.lengthOf((yield* TestProvider).begun(), 1)
      assert.lengthOf(Facts.ofType(yield* Facts.events(id), "RunTakenOver"), 1)
    }).pipe(Effect.provide(TestNode.storeLayer))
  )
})
