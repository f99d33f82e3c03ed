/** Deliveries when their node stops and another process continues. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { AppendFaults } from "#test/support/AppendFaults.ts"
import * as TestNode from "#test/support/TestNode.ts"
import * as Facts from "#test/support/src/features/webhooks/deliveries/DeliveryFacts.ts"
import * as Hook from "#test/support/src/features/webhooks/deliveries/Hook.ts"

const start = (name: string) => TestNode.start({ name, models: [Facts.model], delivers: true })

/** To others the process looks dead. */
const kill = (node: TestNode.TestNode) => Effect.andThen(node.crash, node.stop)

const assertAttempts = (hook: Hook.Hook, times: ReadonlyArray<number>) =>
  assert.deepStrictEqual(
    hook.posted().map(({ at }) => at),
    times
  )

describe("A node that stops during an attempt", () => {
  it.effect("waits half a second for an unresponsive log", () =>
    Effect.gen(function* () {
      const hook = yield* Hook.make(() => {})
      const node = yield* start("one")
      yield* node.on(Facts.ended(hook.url))
      yield* hook.until(1)
      const asked = Promise.withResolvers<void>()
      const faults = yield* node.on(AppendFaults)
      faults.decide(({ events }) => {
        if (!events.some(({ type }) => type === "AttemptLost")) return "stored"
        asked.resolve()
        return "unanswered"
      })
      const stopping = yield* Effect.forkChild(node.stop)
      yield* Effect.promise(() => asked.promise)
      yield* TestClock.adjust("499 millis")
      yield* Facts.rest
      assert.isUndefined(stopping.pollUnsafe())
      yield* TestClock.adjust("1 millis")
      yield* Fiber.join(stopping)
    }).pipe(Effect.provide(TestNode.storeLayer))
  )
})

describe("A delivery that waits for its next attempt", () => {
  // A node that runs looks for what is due every second of the wait, which takes long: once is enough.
  for (const [how, goesDown, mostDown] of [
    ["stopped", (node: TestNode.TestNode) => node.stop, 2_000],
    ["killed", kill, Infinity]
  ] as const) {
    it.effect(`gets each attempt on time when its node is ${how} in every wait`, () =>
      Effect.gen(function* () {
        const hook = yield* Hook.make(500)
        let node = yield* start("one")
        const { id } = yield* node.on(Facts.ended(hook.url))
        const times = [0]
        for (let attempt = 1; attempt < 10; attempt++) {
          const { phase } = yield* Facts.untilAttempts(id, attempt)
          assertAttempts(hook, times)
          const due = (times.at(-1) ?? 0) + Facts.delayAfter(attempt)
          assert.deepInclude(phase, { nextAttemptAt: due })
          yield* goesDown(node)
          const down = Math.min(mostDown, Facts.delayAfter(attempt) - 2_000)
          yield* TestClock.adjust(down)
          // Under its own name, or another.
          node = yield* start(attempt % 2 === 0 ? "one" : "two")
          yield* TestClock.adjust(Facts.delayAfter(attempt) - down - 1)
          yield* Facts.rest
          assertAttempts(hook, times)
          yield* TestClock.adjust(1)
          times.push(due)
        }
        assert.strictEqual((yield* Facts.untilAttempts(id, 10)).phase._tag, "Failed")
        yield* Facts.passEveryDelay
        assertAttempts(hook, times)
      }).pipe(Effect.provide(TestNode.storeLayer))
    )
  }

  it.effect("that came due during downtime gets it at once, and once", () =>
    Effect.gen(function* () {
      const hook = yield* Hook.make(500)
      const first = yield* start("one")
      const { id } = yield* first.on(Facts.ended(hook.url))
      yield* Facts.untilAttempts(id, 1)
      yield* first.stop
      yield* TestClock.adjust("1 hour")
      yield* start("two")
      const { phase } = yield* Facts.untilAttempts(id, 2)
      assert.deepInclude(phase, { nextAttemptAt: 3_600_000 + 30_000 })
      yield* Facts.rest
      assertAttempts(hook, [0, 3_600_000])
    }).pipe(Effect.provide(TestNode.storeLayer))
  )
})

describe("A delivery that is being sent", () => {
  it.effect("when its node is killed waits again, and the attempt counts", () =>
    Effect.gen(function* () {
      const hook = yield* Hook.make(() => {})
      const first = yield* start("one")
      const { id } = yield* first.on(Facts.ended(hook.url))
      yield* hook.until(1)
      yield* kill(first)
      assert.strictEqual((yield* Facts.delivery(id)).phase._tag, "Delivering")
      yield* TestClock.adjust("1 second")
      yield* start("two")
      const lost = yield* Facts.untilPhase(id, "Pending")
      assert.deepStrictEqual(lost.phase, { _tag: "Pending", nextAttemptAt: 6_000, trigger: "schedule" })
      assert.deepInclude(lost, { attempts: 1, used: 1 })
      hook.answerWith(204)
      yield* TestClock.adjust(4_999)
      yield* Facts.rest
      assertAttempts(hook, [0])
      yield* TestClock.adjust(1)
      assert.deepInclude(yield* Facts.untilPhase(id, "Delivered"), { attempts: 2 })
      assertAttempts(hook, [0, 6_000])
    }).pipe(Effect.provide(TestNode.storeLayer))
  )

  it.effect("when its node stops waits again, and the attempt counts", () =>
    Effect.gen(function* () {
      const hook = yield* Hook.make(() => {})
      const first = yield* start("one")
      const { id } = yield* first.on(Facts.ended(hook.url))
      yield* hook.until(1)
      yield* first.stop
      assert.deepInclude(yield* Facts.untilPhase(id, "Pending"), { attempts: 1, used: 1 })
      hook.answerWith(204)
      yield* TestClock.adjust("5 seconds")
      yield* start("one")
      yield* Facts.untilPhase(id, "Delivered")
      assertAttempts(hook, [0, 5_000])
    }).pipe(Effect.provide(TestNode.storeLayer))
  )

  it.effect("is sent at most ten times when every node is killed in the middle", () =>
    Effect.gen(function* () {
      const hook = yield* Hook.make(() => {})
      let node = yield* start("one")
      const { id } = yield* node.on(Facts.ended(hook.url))
      let name = "one"
      for (let attempt = 1; attempt <= 10; attempt++) {
        yield* hook.until(attempt)
        yield* kill(node)
        // The next has the same name, or another, in turn.
        if (attempt % 2 === 0) name = `${attempt}`
        node = yield* start(name)
        yield* Facts.untilAttempts(id, attempt)
        yield* TestClock.adjust(Facts.delayAfter(attempt))
      }
      const { attempts, phase } = yield* Facts.delivery(id)
      assert.deepStrictEqual([attempts, phase._tag], [10, "Failed"])
      assert.deepInclude((yield* Facts.events(id)).at(-1), { reason: "exhausted" })
      yield* Facts.passEveryDelay
      assert.lengthOf(hook.posted(), 10)
      const waits = [0, 5, 35, 155, 455, 1_055, 2_255, 4_055, 6_755, 10_355]
      assertAttempts(
        hook,
        waits.map((seconds) => seconds * 1_000)
      )
    }).pipe(Effect.provide(TestNode.storeLayer))
  )
})
