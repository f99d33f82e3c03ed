/** A request's payloads are also in its webhook bodies: erasing removes them too, wherever it is interrupted. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { Retention } from "#projections/retention/Retention.ts"
import { RetentionSweep } from "#src/features/retention/RetentionSweep.ts"
import { FileSweep } from "#src/features/files/FileSweep.ts"
import { AccountErasing, TakesRequests } from "#src/features/retention/AccountErasing.ts"
import * as Facts from "#test/support/src/features/webhooks/deliveries/DeliveryFacts.ts"
import * as Hook from "#test/support/src/features/webhooks/deliveries/Hook.ts"
import { settle } from "#test/support/projections/ReadSide.ts"
import { AppendFaults } from "#test/support/AppendFaults.ts"
import * as RequestFacts from "#test/support/RequestFacts.ts"
import { succeeded } from "#test/support/TestModels.ts"
import * as TestNode from "#test/support/TestNode.ts"
import { TestProvider } from "#test/support/TestProvider.ts"
import * as WebhookBodies from "#test/support/src/features/retention/WebhookBodies.ts"

const { erase, left, nothing, secret } = WebhookBodies

const layer = TestNode.layer(WebhookBodies.nodeOptions)

const sizes = [
  ["small", WebhookBodies.small],
  ["large", WebhookBodies.large]
] as const

const sweep = Effect.andThen(
  settle("retention"),
  Effect.flatMap(RetentionSweep, ({ pass }) => pass)
).pipe(
  Effect.provide(
    RetentionSweep.layerNoReactor.pipe(
      Layer.provideMerge(AccountErasing.layer),
      Layer.provideMerge(FileSweep.layer),
      Layer.provideMerge(Retention.layer),
      Layer.provide(Layer.succeed(TakesRequests, true))
    )
  )
)

describe("Erasing a request", () => {
  for (const [size, input] of sizes) {
    it.effect(
      `deletes the ${size} body of a pending webhook, which is given up and cannot be sent again`,
      () =>
        Effect.gen(function* () {
          const hook = yield* Hook.make(500)
          const { id, requestId } = yield* Facts.ended(hook.url, { input })
          yield* Facts.untilAttempts(id, 1)
          assert.deepStrictEqual(yield* left(id), {
            opens: true,
            isRecorded: true,
            hasBlob: size === "large"
          })
          yield* erase(requestId)
          assert.deepStrictEqual(yield* left(id), nothing)
          const last = (yield* Facts.events(id)).at(-1)
          assert.deepInclude(last, { _tag: "DeliveryFailed", reason: "erased" })
          assert.strictEqual((yield* Effect.flip(Facts.replay(id)))._tag, "BodyErased")
          yield* TestClock.adjust("2 hours")
          yield* Facts.rest
          assert.lengthOf(hook.posted(), 1)
        }).pipe(Effect.provide(layer))
    )

    it.effect(`deletes the ${size} body of a delivered webhook, which stays delivered`, () =>
      Effect.gen(function* () {
        const hook = yield* Hook.make()
        const { id, requestId } = yield* Facts.ended(hook.url, { input })
        yield* Facts.untilPhase(id, "Delivered")
        yield* erase(requestId)
        yield* erase(requestId)
        assert.deepStrictEqual(yield* left(id), nothing)
        assert.strictEqual((yield* Facts.delivery(id)).phase._tag, "Delivered")
        assert.strictEqual((yield* Effect.flip(Facts.replay(id)))._tag, "BodyErased")
      }).pipe(Effect.provide(layer))
    )
  }

  it.effect("during an attempt of its webhook makes that attempt the last one", () =>
    Effect.gen(function* () {
      const hook = yield* Hook.make(() => {})
      const { id, requestId } = yield* Facts.ended(hook.url)
      yield* hook.until(1)
      yield* erase(requestId)
      assert.deepStrictEqual(yield* left(id), nothing)
      yield* TestClock.adjust("15 seconds")
      yield* Facts.untilPhase(id, "Failed")
      assert.deepInclude((yield* Facts.events(id)).at(-1), { reason: "erased" })
    }).pipe(Effect.provide(layer))
  )

  it.effect("that stops before the bodies of its webhooks is completed by the next sweep", () =>
    Effect.gen(function* () {
      const hook = yield* Hook.make(500)
      const first = yield* TestNode.start({ ...WebhookBodies.nodeOptions, name: "one" })
      const { id, requestId } = yield* first.on(Facts.ended(hook.url))
      yield* Facts.untilAttempts(id, 1)
      yield* first.on(
        Effect.gen(function* () {
          const faults = yield* AppendFaults
          faults.decide(({ stream }) => (stream.startsWith("WebhookDelivery-") ? "refused" : "stored"))
          assert.strictEqual((yield* Effect.flip(erase(requestId)))._tag, "EventStoreError")
        })
      )
      yield* first.crash
      yield* first.stop
      assert.notInclude(yield* RequestFacts.types(requestId), "ErasedFilesRemoved")
      const second = yield* TestNode.start({ ...WebhookBodies.nodeOptions, name: "two" })
      assert.isTrue((yield* second.on(left(id))).isRecorded)
      assert.deepInclude(yield* second.on(sweep), { resumed: 1, failed: 0 })
      assert.deepStrictEqual(yield* second.on(left(id)), nothing)
      assert.include(yield* RequestFacts.types(requestId), "ErasedFilesRemoved")
      yield* TestClock.adjust("1 minute")
      yield* Facts.rest
      assert.lengthOf(hook.posted(), 1)
    }).pipe(Effect.provide(TestNode.storeLayer))
  )

  it.effect("deletes the bodies of both its start and its end", () =>
    Effect.gen(function* () {
      const hook = yield* Hook.make()
      const requestId = yield* RequestFacts.submit({
        model: Facts.model,
        webhook: Facts.webhook(hook.url, ["start", "completed"])
      })
      const run = yield* (yield* TestProvider).next
      yield* Facts.begin(run)
      yield* hook.until(1)
      yield* run.ends(succeeded())
      yield* Facts.untilPhase(Facts.idOf(requestId), "Delivered")
      yield* erase(requestId)
      for (const event of ["start", "completed"] as const) {
        assert.deepStrictEqual(yield* left(Facts.idOf(requestId, event)), nothing)
      }
    }).pipe(Effect.provide(layer))
  )
})

describe("A request that is erased", () => {
  it.effect("before its webhook is scheduled has its end delivered without input and output", () =>
    Effect.gen(function* () {
      const hook = yield* Hook.make()
      yield* Facts.refuse("DeliveryScheduled")
      const { id, requestId } = yield* Facts.ended(hook.url, { input: WebhookBodies.small })
      yield* Facts.pass(1)
      yield* erase(requestId)
      yield* Facts.heal
      yield* Facts.pass(6)
      yield* Facts.untilPhase(id, "Delivered")
      const { text } = yield* hook.until(1)
      assert.notInclude(text, secret)
      assert.deepInclude(JSON.parse(text), { input: null, output: null, status: "COMPLETED" })
    }).pipe(Effect.provide(layer))
  )
})
