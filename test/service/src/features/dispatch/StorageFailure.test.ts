/** A log that rejects writes for a while: no accepted request is lost, and none runs twice. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import * as DueWorkProjection from "#projections/due-work/DueWorkProjection.ts"
import type { Projection } from "#projections/Projection.ts"
import * as AppendFaults from "#test/support/AppendFaults.ts"
import * as Facts from "#test/support/RequestFacts.ts"
import { single, succeeded, triple } from "#test/support/TestModels.ts"
import * as TestNode from "#test/support/TestNode.ts"
import { TestProvider } from "#test/support/TestProvider.ts"

const layer = TestNode.layer()

describe("When the log cannot be written", () => {
  it.effect("the outcome of a run is reported again until it is recorded", () =>
    Effect.gen(function* () {
      const faults = yield* AppendFaults.AppendFaults
      const provider = yield* TestProvider
      const id = yield* Facts.submit()
      const run = yield* provider.next
      faults.fail("RequestCompleted", 3)
      yield* run.ends(succeeded())
      yield* TestClock.adjust("2 seconds")
      assert.notInclude(yield* Facts.types(id), "RequestCompleted")
      yield* TestClock.adjust("1 second")
      assert.lengthOf(Facts.ofType(yield* Facts.untilEnd(id), "RequestCompleted"), 1)
      assert.strictEqual(provider.begun().length, 1)
    }).pipe(Effect.provide(layer))
  )

  it.effect("an outcome that was stored despite an error is recorded once", () =>
    Effect.gen(function* () {
      const faults = yield* AppendFaults.AppendFaults
      const id = yield* Facts.submit()
      const run = yield* (yield* TestProvider).next
      faults.fail("RequestCompleted", 1, "stored unheard")
      yield* run.ends(succeeded())
      yield* Facts.untilEnd(id)
      yield* TestClock.adjust("5 seconds")
      const all = yield* Facts.events(id)
      assert.lengthOf(Facts.terminal(all), 1)
      assert.lengthOf(Facts.ofType(all, "LateOutcomeIgnored"), 0)
    }).pipe(Effect.provide(layer))
  )

  it.effect(
    "the next run of a request can be stopped when the previous end was stored despite an error",
    () =>
      Effect.gen(function* () {
        const faults = yield* AppendFaults.AppendFaults
        const provider = yield* TestProvider
        const id = yield* Facts.submit({ model: triple })
        faults.fail("RequestRequeued", 1, "stored unheard")
        yield* (yield* provider.next).ends({ _tag: "ProviderError", message: "reset", retryable: true })
        yield* Facts.untilType(id, "RequestRequeued")
        yield* TestClock.adjust("250 millis")
        const second = yield* provider.next
        yield* TestClock.adjust("1 second")
        yield* Effect.forkChild(Facts.cancel(id, triple))
        yield* second.stopRequested
        yield* second.ends({ _tag: "Stopped" })
        assert.deepStrictEqual(
          Facts.terminal(yield* Facts.untilEnd(id)).map(({ _tag }) => _tag),
          ["RequestCancelled"]
        )
      }).pipe(Effect.provide(layer))
  )

  it.effect("a rejected claim is repeated, and the others run", () =>
    Effect.gen(function* () {
      const faults = yield* AppendFaults.AppendFaults
      const provider = yield* TestProvider
      provider.answerWith(() => Effect.succeed(succeeded()))
      faults.decide(({ events }) => (events[0].type === "DispatchStarted" ? "refused" : "stored"))
      const ids = yield* Effect.replicateEffect(Facts.submit({ model: triple }), 3)
      yield* TestClock.adjust("2 seconds")
      assert.deepStrictEqual(provider.begun(), [])
      faults.fail("DispatchStarted", 1)
      yield* TestClock.adjust("2 seconds")
      yield* Effect.forEach(ids, Facts.untilEnd)
      assert.strictEqual(provider.begun().length, 3)
    }).pipe(Effect.provide(layer))
  )

  it.effect("a claim that was stored despite an error is found, and its request runs", () =>
    Effect.gen(function* () {
      const faults = yield* AppendFaults.AppendFaults
      const provider = yield* TestProvider
      provider.answerWith(() => Effect.succeed(succeeded()))
      faults.fail("DispatchStarted", 1, "stored unheard")
      const id = yield* Facts.submit()
      yield* Facts.untilType(id, "DispatchStarted")
      yield* TestClock.adjust("1 second")
      yield* Facts.untilType(id, "RequestRequeued")
      yield* TestClock.adjust("1 second")
      const all = yield* Facts.untilEnd(id)
      assert.lengthOf(Facts.ofType(all, "RequestCompleted"), 1)
      assert.strictEqual(provider.begun().length, 1)
    }).pipe(Effect.provide(layer))
  )
})

/** A work queue that stops at the start of a run, which it cannot apply. */
const halting: Projection = {
  ...DueWorkProjection.projection,
  open: (db) => {
    const opened = DueWorkProjection.projection.open(db)
    const rules = opened.rules.map((rule) =>
      rule.type === "DispatchStarted"
        ? {
            ...rule,
            apply: () => {
              throw new Error("the test's projection stops here")
            }
          }
        : rule
    )
    return { ...opened, rules }
  }
}

describe("When the work queue has stopped", () => {
  it.effect("claimed requests run once, and the dispatcher does not spin on stale rows", () => {
    let passes = 0
    const watched = {
      ...single,
      model: {
        ...single.model,
        get concurrency() {
          passes++
          return 1
        }
      }
    }
    return Effect.gen(function* () {
      const provider = yield* TestProvider
      const id = yield* Facts.submit({ model: watched })
      yield* (yield* provider.next).ends(succeeded())
      yield* Facts.untilEnd(id)
      yield* Effect.repeat(TestClock.adjust("1 second"), { times: 59 })
      assert.strictEqual(provider.begun().length, 1)
      // One read at each heartbeat, and some at earlier signals.
      assert.isAbove(passes, 10)
      assert.isBelow(passes, 20)
    }).pipe(Effect.provide(TestNode.layer({ models: [watched], projections: [halting] })))
  })
})
