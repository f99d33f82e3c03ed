/** A request that crashes its nodes is identified, and other requests are not affected. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import * as Crashes from "#domain/inference-request/Crashes.ts"
import type { RequestId } from "#domain/Ids.ts"
import { survivedMs } from "#src/features/dispatch/SlowStart.ts"
import * as Facts from "#test/support/RequestFacts.ts"
import { succeeded, testModel } from "#test/support/TestModels.ts"
import * as TestNode from "#test/support/TestNode.ts"
import { TestProvider } from "#test/support/TestProvider.ts"

const patient = testModel("test/patient", { concurrency: 100, timeoutSeconds: 100_000 })
const start = (name: string) => TestNode.start({ name, models: [patient] })
const request = Facts.submit({ model: patient })

/** Crashes a node with this many runs in progress. */
const crashed = Effect.fnUntraced(function* (count: number) {
  const dead = yield* start("dead")
  const ids = yield* dead.on(Effect.replicateEffect(request, count))
  yield* Effect.replicateEffect((yield* TestProvider).next, count)
  yield* dead.crash
  return ids
})

const untilCrashes = (ids: ReadonlyArray<RequestId>, crashes: number) =>
  Effect.forEach(ids, (id) =>
    Facts.until(id, (all) => Facts.ofType(all, "RequestRequeued").some((event) => event.crashes === crashes))
  )

describe("After a crash", () => {
  it.effect("one lost run begins, and twice as many each time that the previous ones survive", () =>
    Effect.gen(function* () {
      const provider = yield* TestProvider
      const ids = yield* crashed(12)
      const heir = yield* start("heir")
      yield* heir.on(untilCrashes(ids, 1))
      const counts: Array<number> = []
      for (const expected of [1, 2, 4, 5]) {
        yield* TestClock.adjust(counts.length === 0 ? 250 : survivedMs)
        yield* Effect.replicateEffect(provider.next, expected)
        counts.push(provider.begun().length - 12)
      }
      assert.deepStrictEqual(counts, [1, 3, 7, 12])
    }).pipe(Effect.provide(TestNode.storeLayer))
  )

  it.effect("a request that was not running does not wait for those that were", () =>
    Effect.gen(function* () {
      const provider = yield* TestProvider
      const ids = yield* crashed(12)
      const heir = yield* start("heir")
      yield* heir.on(untilCrashes(ids, 1))
      yield* TestClock.adjust(250)
      yield* provider.next
      const fresh = yield* heir.on(request)
      assert.strictEqual((yield* provider.next).job.requestId, fresh)
    }).pipe(Effect.provide(TestNode.storeLayer))
  )

  it.effect("the next runs begin as soon as the previous ones have ended", () =>
    Effect.gen(function* () {
      const provider = yield* TestProvider
      const ids = yield* crashed(12)
      provider.answerWith(() => Effect.succeed(succeeded()))
      const heir = yield* start("heir")
      yield* heir.on(untilCrashes(ids, 1))
      yield* TestClock.adjust(250)
      for (const id of ids)
        assert.lengthOf(Facts.ofType(yield* heir.on(Facts.untilEnd(id)), "RequestCompleted"), 1)
    }).pipe(Effect.provide(TestNode.storeLayer))
  )
})

describe("A request that is running at three crashes in a row", () => {
  it.effect("fails without a charge, and one that was running at two of them ends normally", () =>
    Effect.gen(function* () {
      const provider = yield* TestProvider
      const [first, second] = yield* crashed(2)
      assert.isDefined(first)
      assert.isDefined(second)
      const next = yield* start("next")
      yield* next.on(untilCrashes([first, second], 1))
      yield* TestClock.adjust(250)
      yield* provider.next
      yield* TestClock.adjust(survivedMs)
      yield* provider.next
      yield* next.crash

      const last = yield* start("last")
      yield* last.on(untilCrashes([first, second], 2))
      yield* TestClock.adjust(500)
      const poison = (yield* provider.next).job.requestId
      yield* TestClock.adjust(survivedMs)
      yield* last.crash

      const heir = yield* start("heir")
      const all = yield* heir.on(Facts.untilEnd(poison))
      assert.deepInclude(Facts.ofType(all, "RequestFailed")[0], {
        attempt: 3,
        reason: "lost",
        message: Crashes.message
      })
      const run = yield* provider.next
      const other = poison === first ? second : first
      assert.strictEqual(run.job.requestId, other)
      yield* run.ends(succeeded())
      assert.lengthOf(Facts.ofType(yield* heir.on(Facts.untilEnd(other)), "RequestCompleted"), 1)
    }).pipe(Effect.provide(TestNode.storeLayer))
  )
})
