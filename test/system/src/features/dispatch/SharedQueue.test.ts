/** One queue, several nodes: each request runs once, on any node, and nodes do not conflict. */
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect } from "effect"
import { TestClock } from "effect/testing"
import { RequestActors } from "#src/features/requests/RequestActors.ts"
import * as Facts from "#test/support/RequestFacts.ts"
import { succeeded } from "#test/support/TestModels.ts"
import * as TestNode from "#test/support/TestNode.ts"
import { TestProvider } from "#test/support/TestProvider.ts"
import {
  claimants,
  counted,
  narrow,
  pair,
  requestOf,
  rest,
  runsOf,
  start,
  startAll,
  wide
} from "#test/support/src/features/dispatch/Cluster.ts"
import * as Until from "#test/support/Until.ts"

const count = 300

describe("A queue that three nodes share", () => {
  it.effect("runs once, spread over them, without a race", () =>
    Effect.gen(function* () {
      ;(yield* TestProvider).answerWith(() => Effect.succeed(succeeded()))
      const { a, b, c } = yield* startAll
      const tries = yield* counted([a, b, c], "DispatchStarted")
      const ids = yield* a.on(Effect.replicateEffect(Facts.submit({ model: wide }), count))
      const claimed = (yield* Effect.forEach(ids, Facts.untilEnd)).flatMap(claimants)
      assert.lengthOf(claimed, count)
      assert.strictEqual(tries(), count)
      for (const name of ["a", "b", "c"]) {
        assert.isAtLeast(claimed.filter((node) => node === name).length, count / 5)
      }
    }).pipe(Effect.provide(TestNode.storeLayer))
  )

  it.effect("is processed when all of it is late: claims rarely race", () =>
    Effect.gen(function* () {
      const provider = yield* TestProvider
      provider.answerWith(() => Effect.delay(Effect.succeed(succeeded()), "200 millis"))
      const { a, b, c } = yield* startAll
      const tries = yield* counted([a, b, c], "DispatchStarted")
      const ids = yield* a.on(Effect.replicateEffect(Facts.submit({ model: narrow }), count))
      const time = Effect.forever(Effect.andThen(TestClock.adjust("50 millis"), rest))
      const all = yield* Effect.raceFirst(Effect.forEach(ids, Facts.untilEnd), time)
      assert.lengthOf(all.flatMap(claimants), count)
      assert.isAtMost(tries(), count * 1.01)
      assert.isAtMost(provider.running("test/narrow").most, 5)
      assert.deepStrictEqual([...provider.begun()].sort(), [...ids].sort())
    }).pipe(Effect.provide(TestNode.storeLayer))
  )
})

describe("A request whose node has no room", () => {
  it.effect("goes to another node after two seconds, and no node tries earlier", () =>
    Effect.gen(function* () {
      const provider = yield* TestProvider
      const a = yield* start("a")
      const b = yield* start("b")
      const live = ["a", "b"]
      const busy = yield* a.on(requestOf("a", { model: pair, live }))
      yield* Facts.untilType(busy, "DispatchStarted")
      const tries = yield* counted([a, b], "DispatchStarted")
      const late = yield* a.on(requestOf("a", { model: pair, live }))
      yield* TestClock.adjust("1999 millis")
      yield* rest
      assert.deepStrictEqual(claimants(yield* Facts.events(late)), [])
      yield* TestClock.adjust("1 millis")
      yield* Facts.untilType(late, "DispatchStarted")
      assert.deepStrictEqual(claimants(yield* Facts.events(late)), ["b"])
      assert.strictEqual(tries(late), 1)
      assert.strictEqual(provider.running("test/pair").now, 2)
      yield* b.stop
    }).pipe(Effect.provide(TestNode.storeLayer))
  )

  it.effect("does not delay those behind it", () =>
    Effect.gen(function* () {
      const a = yield* start("a")
      const live = ["a", "b"]
      const b = yield* start("b")
      const blocked: Array<string> = []
      for (let number = 0; number < 12; number++)
        blocked.push(yield* a.on(requestOf("a", { model: pair, live })))
      const own = yield* a.on(requestOf("b", { model: pair, live }))
      const all = yield* Facts.until(own, (events) => claimants(events).length > 0)
      assert.deepStrictEqual(claimants(all), ["b"])
      yield* b.stop
    }).pipe(Effect.provide(TestNode.storeLayer))
  )
})

describe("A request that another node has returned to the queue", () => {
  it.effect("is claimed by a node that has not read it before", () =>
    Effect.gen(function* () {
      const provider = yield* TestProvider
      const a = yield* start("a", { follows: false })
      const b = yield* start("b", { follows: false })
      const id = yield* b.on(requestOf("a", { model: wide, live: ["a", "b"] }))
      const first = yield* provider.next
      const lost = { _tag: "SweepRetry", at: 0, attempt: 1, reason: "lost" } as const
      yield* b.on(
        Effect.flatMap(RequestActors, (actors) =>
          Effect.andThen(actors.refresh(id), actors.execute(id, lost))
        )
      )
      yield* TestClock.adjust("60 seconds")
      yield* provider.next
      assert.deepStrictEqual(claimants(yield* Facts.events(id)), ["a", "a"])
      // No node follows its run any more.
      yield* first.stopRequested
      yield* a.stop
    }).pipe(Effect.provide(TestNode.storeLayer))
  )
})

describe("A model's concurrency", () => {
  it.effect("is split over the nodes, and over the rest when one leaves", () =>
    Effect.gen(function* () {
      const provider = yield* TestProvider
      const gate = yield* Deferred.make<void>()
      provider.answerWith(() => Effect.as(Deferred.await(gate), succeeded()))
      const { a, b, c } = yield* startAll
      yield* a.on(Effect.replicateEffect(Facts.submit({ model: narrow }), 60))
      yield* Until.until(
        "five runs",
        Effect.sync(() => provider.running("test/narrow")),
        ({ now }) => now === 5
      )
      yield* rest
      const runs = yield* runsOf([a, b, c], narrow)
      assert.deepStrictEqual([...runs].sort(), [1, 2, 2])
      yield* c.crash
      const untilFull = Effect.repeat(
        Effect.andThen(TestClock.adjust("100 millis"), runsOf([a, b], narrow)),
        {
          until: ([one = 0, two = 0]) => one + two === 5
        }
      )
      assert.deepStrictEqual([...(yield* untilFull)].sort(), [2, 3])
      yield* TestClock.adjust("10 seconds")
      yield* rest
      assert.deepStrictEqual([...(yield* runsOf([a, b], narrow))].sort(), [2, 3])
    }).pipe(Effect.provide(TestNode.storeLayer))
  )
})
