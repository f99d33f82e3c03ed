/** Webhook events come from the commit, before any read model has them. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as FreshEvents from "#src/features/webhooks/deliveries/FreshEvents.ts"
import * as RequestFacts from "#test/support/RequestFacts.ts"
import { succeeded } from "#test/support/TestModels.ts"
import { TestProvider } from "#test/support/TestProvider.ts"
import * as TestNode from "#test/support/TestNode.ts"
import * as Facts from "#test/support/src/features/webhooks/deliveries/DeliveryFacts.ts"

const layer = TestNode.layer({ models: [Facts.model] })

describe("The end of a request", () => {
  it.effect("is handed over once, if its webhook wants it", () =>
    Effect.gen(function* () {
      let served = 0
      const fresh = yield* FreshEvents.make(() => served++)
      const { requestId } = yield* Facts.ended("https://receiver.example.com/")
      yield* Facts.rest
      assert.deepStrictEqual(fresh.take(), [{ requestId, event: "completed" }])
      assert.deepStrictEqual([fresh.take(), served], [[], 1])
    }).pipe(Effect.provide(layer))
  )

  it.effect("is not handed over without a webhook", () =>
    Effect.gen(function* () {
      const fresh = yield* FreshEvents.make(() => {})
      ;(yield* TestProvider).answerWith(() => Effect.succeed(succeeded()))
      const requestId = yield* RequestFacts.submit({ model: Facts.model })
      yield* RequestFacts.untilEnd(requestId)
      yield* Facts.rest
      assert.deepStrictEqual(fresh.take(), [])
    }).pipe(Effect.provide(layer))
  )
})
