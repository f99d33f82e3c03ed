/** Webhook bodies that are made while their request is erased, or that the log rejects. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type { Eraser } from "#src/features/retention/Eraser.ts"
import { BlobStore } from "#streams/BlobStore.ts"
import * as Facts from "#test/support/src/features/webhooks/deliveries/DeliveryFacts.ts"
import * as Hook from "#test/support/src/features/webhooks/deliveries/Hook.ts"
import { AppendFaults } from "#test/support/AppendFaults.ts"
import * as RequestFacts from "#test/support/RequestFacts.ts"
import { succeeded } from "#test/support/TestModels.ts"
import * as TestNode from "#test/support/TestNode.ts"
import { TestProvider } from "#test/support/TestProvider.ts"
import * as WebhookBodies from "#test/support/src/features/retention/WebhookBodies.ts"

const { erase, large: input, left, nothing, secret } = WebhookBodies

/** A request that is erased when its webhook body is made and not yet on the log; then `more` runs. */
const racing = Effect.fnUntraced(function* (
  blobs: ReturnType<typeof WebhookBodies.watchedBlobs>,
  url: string,
  more: Effect.Effect<unknown> = Effect.void
) {
  const services = yield* Effect.context<Eraser>()
  const requestId = yield* RequestFacts.submit({ model: Facts.model, input, webhook: Facts.webhook(url) })
  const erased = Effect.orDie(Effect.provideContext(erase(requestId), services))
  blobs.beforeFirst(Effect.andThen(erased, more))
  yield* (yield* (yield* TestProvider).next).ends(succeeded())
  return Facts.idOf(requestId)
})

describe("A request that is erased while its webhook is scheduled", () => {
  it.effect("leaves nothing of the webhook, and sends nothing", () => {
    const blobs = WebhookBodies.watchedBlobs()
    return Effect.gen(function* () {
      const hook = yield* Hook.make()
      const id = yield* racing(blobs, hook.url)
      yield* Facts.untilPhase(id, "Failed")
      assert.deepStrictEqual(yield* left(id), nothing)
      assert.deepStrictEqual(yield* Facts.types(id), [
        "DeliveryScheduled",
        "AttemptStarted",
        "PayloadsErased",
        "AttemptLost",
        "DeliveryFailed"
      ])
      yield* Facts.pass(6)
      assert.lengthOf(hook.posted(), 0)
    }).pipe(Effect.provide(blobs.layer))
  })

  it.effect("leaves nothing of the webhook either when the node is killed", () => {
    const blobs = WebhookBodies.watchedBlobs()
    return Effect.gen(function* () {
      const hook = yield* Hook.make()
      const first = yield* TestNode.start({ ...WebhookBodies.nodeOptions, name: "one" })
      const id = yield* first.on(
        Effect.gen(function* () {
          const faults = yield* AppendFaults
          const lastWords = Effect.sync(() =>
            faults.decide(({ events: [event], stream }) =>
              stream.startsWith("WebhookDelivery-") && event.type !== "DeliveryScheduled"
                ? "refused"
                : "stored"
            )
          )
          return yield* racing(blobs, hook.url, lastWords)
        })
      )
      yield* Facts.untilPhase(id, "Delivering")
      yield* Facts.rest
      yield* first.crash
      yield* first.stop
      const second = yield* TestNode.start({ ...WebhookBodies.nodeOptions, name: "two" })
      assert.isTrue((yield* second.on(left(id))).opens)
      yield* Facts.pass(6)
      yield* Facts.untilPhase(id, "Failed")
      assert.deepStrictEqual(yield* second.on(left(id)), nothing)
      assert.lengthOf(hook.posted(), 0)
    }).pipe(Effect.provide(blobs.storeLayer))
  })
})

describe("The body of a webhook that the log", () => {
  it.effect("rejects for a while is stored once, and sent", () => {
    const blobs = WebhookBodies.watchedBlobs()
    return Effect.gen(function* () {
      const hook = yield* Hook.make()
      yield* Facts.refuse("DeliveryScheduled")
      const { id } = yield* Facts.ended(hook.url, { input })
      yield* Facts.pass(20)
      yield* Facts.heal
      yield* Facts.pass(6)
      yield* Facts.untilPhase(id, "Delivered")
      assert.lengthOf(blobs.keys(), 1)
      assert.deepStrictEqual(yield* left(id), { opens: true, isRecorded: true, hasBlob: true })
    }).pipe(Effect.provide(blobs.layer))
  })

  it.effect("rejects until its request is erased leaves no orphaned blob", () => {
    const blobs = WebhookBodies.watchedBlobs()
    return Effect.gen(function* () {
      const hook = yield* Hook.make()
      yield* Facts.refuse("DeliveryScheduled")
      const { id, requestId } = yield* Facts.ended(hook.url, { input })
      yield* Facts.pass(1)
      assert.lengthOf(blobs.keys(), 1)
      yield* erase(requestId)
      yield* Facts.heal
      yield* Facts.pass(6)
      yield* Facts.untilPhase(id, "Delivered")
      const { size } = yield* BlobStore
      assert.deepStrictEqual(yield* Effect.forEach(blobs.keys(), size), [null])
      assert.notInclude((yield* hook.until(1)).text, secret)
    }).pipe(Effect.provide(blobs.layer))
  })

  it.effect("stores despite an error is sent unchanged", () => {
    const blobs = WebhookBodies.watchedBlobs()
    return Effect.gen(function* () {
      const hook = yield* Hook.make()
      ;(yield* AppendFaults).fail("DeliveryScheduled", 1, "stored unheard")
      const { id } = yield* Facts.ended(hook.url, { input })
      yield* Facts.pass(70)
      yield* Facts.untilPhase(id, "Delivered")
      assert.include((yield* hook.until(1)).text, secret)
      assert.lengthOf(blobs.keys(), 1)
    }).pipe(Effect.provide(blobs.layer))
  })
})
