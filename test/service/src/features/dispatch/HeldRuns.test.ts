/** Runs that only wait for a time or a stop, as the sandbox's do, and have no fiber. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import type { Provider } from "#src/features/providers/Provider.ts"
import * as SandboxRun from "#src/features/providers/builtin/sandbox/SandboxRun.ts"
import * as Facts from "#test/support/RequestFacts.ts"
import { succeeded, testModel } from "#test/support/TestModels.ts"
import * as TestNode from "#test/support/TestNode.ts"

const model = testModel("test/held", { timeoutSeconds: 60, concurrency: 100 })

const holding = (provider: Provider, delayMs: number): Provider => ({
  ...provider,
  run: (job, control) => SandboxRun.delayed({ ...job, input: { delayMs } }, control, succeeded())
})

const nodeOf = (delayMs: number) => ({
  models: [model],
  providers: (provider: Provider) => [holding(provider, delayMs)]
})

const begin = Effect.gen(function* () {
  const id = yield* Facts.submit({ model })
  yield* Facts.untilType(id, "DispatchStarted")
  yield* TestClock.adjust("20 millis")
  yield* Facts.untilType(id, "RequestStarted")
  return id
})

describe("A run without a fiber", () => {
  it.effect("ends when its time has passed", () =>
    Effect.gen(function* () {
      const id = yield* begin
      yield* TestClock.adjust("9979 millis")
      assert.deepStrictEqual(Facts.terminal(yield* Facts.events(id)), [])
      yield* TestClock.adjust("1 millis")
      assert.lengthOf(Facts.ofType(yield* Facts.untilEnd(id), "RequestCompleted"), 1)
    }).pipe(Effect.provide(TestNode.layer(nodeOf(10_000))))
  )

  it.effect("ends when its client cancels", () =>
    Effect.gen(function* () {
      const id = yield* begin
      const cancelling = yield* Effect.forkChild(Facts.cancel(id, model))
      assert.lengthOf(Facts.ofType(yield* Facts.untilEnd(id), "RequestCancelled"), 1)
      yield* Fiber.join(cancelling)
    }).pipe(Effect.provide(TestNode.layer(nodeOf(10_000))))
  )

  it.effect("fails at its model's limit", () =>
    Effect.gen(function* () {
      const id = yield* begin
      yield* TestClock.adjust("1 minutes")
      assert.lengthOf(Facts.ofType(yield* Facts.untilEnd(id), "RequestFailed"), 1)
    }).pipe(Effect.provide(TestNode.layer(nodeOf(100_000))))
  )

  it.effect("is given back when its node stops, and the next node runs it", () =>
    Effect.gen(function* () {
      const first = yield* TestNode.start({ name: "first", ...nodeOf(10_000) })
      const ids = yield* first.on(Effect.all([begin, begin, begin]))
      yield* first.stop
      for (const id of ids) {
        const [requeued] = Facts.ofType(yield* Facts.events(id), "RequestRequeued")
        assert.deepInclude(requeued, { reason: "shutdown", attempt: 1 })
      }
      const second = yield* TestNode.start({ name: "second", ...nodeOf(0) })
      yield* Effect.forEach(ids, (id) => second.on(Facts.untilEnd(id)))
    }).pipe(Effect.provide(TestNode.storeLayer))
  )
})
