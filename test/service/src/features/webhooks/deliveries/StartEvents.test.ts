/** Which events are sent: the requested ones, and a start only while the request has not ended (contract, rule 1). */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import type { WebhookEventName } from "#domain/inference-request/Event.ts"
import * as RequestFacts from "#test/support/RequestFacts.ts"
import { succeeded } from "#test/support/TestModels.ts"
import * as TestNode from "#test/support/TestNode.ts"
import { TestProvider } from "#test/support/TestProvider.ts"
import * as Facts from "#test/support/src/features/webhooks/deliveries/DeliveryFacts.ts"
import * as Hook from "#test/support/src/features/webhooks/deliveries/Hook.ts"
import * as TestTime from "#test/support/TestTime.ts"

const layer = TestNode.layer({ models: [Facts.model], delivers: true })

const both: ReadonlyArray<WebhookEventName> = ["start", "completed"]

const submit = (url: string, events?: ReadonlyArray<WebhookEventName>) =>
  RequestFacts.submit({ model: Facts.model, webhook: Facts.webhook(url, events) })

const eventOf = ({ text }: Hook.Posted): unknown => JSON.parse(text).event
const eventsOf = (hook: Hook.Hook) => hook.posted().map(eventOf)

describe("A client that asked for both events", () => {
  it.effect("receives the start when a provider has begun, and the end when it is recorded", () =>
    Effect.gen(function* () {
      const hook = yield* Hook.make()
      const requestId = yield* submit(hook.url, both)
      const run = yield* (yield* TestProvider).next
      yield* Facts.rest
      assert.deepStrictEqual(eventsOf(hook), [])
      yield* TestClock.adjust("3 seconds")
      yield* Facts.begin(run)
      const start = yield* hook.until(1)
      assert.strictEqual(start.id, Facts.idOf(requestId, "start"))
      yield* TestClock.adjust("2 seconds")
      yield* run.ends(succeeded())
      const completed = yield* hook.until(2)
      assert.strictEqual(completed.id, Facts.idOf(requestId, "completed"))
      yield* Facts.rest
      assert.deepStrictEqual(eventsOf(hook), ["start", "completed"])
      const [told] = hook.posted().map(({ text }) => JSON.parse(text))
      assert.deepStrictEqual(told, {
        id: requestId,
        modelEndpoint: "test/hooked",
        status: "IN_PROGRESS",
        input: { value: "in" },
        output: null,
        error: null,
        metadata: {},
        inferenceTime: null,
        delayTime: 3_000,
        createdAt: "1970-01-01T00:00:00.000Z",
        outcome: "pending",
        cost: "0",
        media: [],
        event: "start"
      })
    }).pipe(Effect.provide(layer))
  )

  it.effect("receives no start of a request that ended at once", () =>
    Effect.gen(function* () {
      const hook = yield* Hook.make()
      ;(yield* TestProvider).answerWith((_, { started }) => Effect.as(started, succeeded()))
      const requestId = yield* submit(hook.url, both)
      yield* Facts.untilPhase(Facts.idOf(requestId), "Delivered")
      yield* Facts.rest
      assert.deepStrictEqual(eventsOf(hook), ["completed"])
      assert.deepStrictEqual(yield* Facts.events(Facts.idOf(requestId, "start")), [])
    }).pipe(Effect.provide(layer))
  )

  it.effect("receives no start when the end was recorded before the start was scheduled", () =>
    Effect.gen(function* () {
      const hook = yield* Hook.make()
      yield* Facts.refuse("DeliveryScheduled")
      const requestId = yield* submit(hook.url, both)
      const run = yield* (yield* TestProvider).next
      yield* Facts.begin(run)
      yield* Facts.rest
      yield* run.ends(succeeded())
      yield* RequestFacts.untilEnd(requestId)
      yield* Facts.heal
      yield* TestTime.passDuring(Facts.untilPhase(Facts.idOf(requestId), "Delivered"))
      assert.deepStrictEqual(eventsOf(hook), ["completed"])
      assert.deepStrictEqual(yield* Facts.events(Facts.idOf(requestId, "start")), [])
    }).pipe(Effect.provide(layer))
  )

  it.effect("receives the start once, even if the run is lost and begun again", () =>
    Effect.gen(function* () {
      const hook = yield* Hook.make()
      const requestId = yield* submit(hook.url, both)
      const { next } = yield* TestProvider
      const first = yield* next
      yield* Facts.begin(first)
      yield* hook.until(1)
      yield* first.ends({ _tag: "Lost", message: "gone" })
      yield* RequestFacts.untilType(requestId, "RequestRequeued")
      yield* TestClock.adjust("1 second")
      const second = yield* next
      yield* Facts.begin(second)
      yield* RequestFacts.untilType(requestId, "RequestStarted", 2)
      yield* Facts.rest
      assert.deepStrictEqual(eventsOf(hook), ["start"])
      yield* second.ends(succeeded())
      yield* hook.until(2)
      yield* Facts.rest
      assert.deepStrictEqual(eventsOf(hook), ["start", "completed"])
    }).pipe(Effect.provide(layer))
  )
})

describe("A client that asked for", () => {
  for (const [what, asked, told] of [
    ["the end alone is told no start", ["completed"], ["completed"]],
    ["the start alone is told no end", ["start"], ["start"]],
    ["no event is told nothing", [], []]
  ] as const) {
    it.effect(what, () =>
      Effect.gen(function* () {
        const hook = yield* Hook.make()
        const requestId = yield* submit(hook.url, asked)
        const run = yield* (yield* TestProvider).next
        yield* Facts.begin(run)
        yield* Facts.rest
        yield* run.ends(succeeded())
        yield* RequestFacts.untilEnd(requestId)
        yield* Facts.rest
        assert.deepStrictEqual(eventsOf(hook), [...told])
        const event = told[0] === "start" ? "completed" : "start"
        assert.deepStrictEqual(yield* Facts.events(Facts.idOf(requestId, event)), [])
      }).pipe(Effect.provide(layer))
    )
  }

  it.effect("no webhook receives nothing, and nothing is scheduled", () =>
    Effect.gen(function* () {
      ;(yield* TestProvider).answerWith(() => Effect.succeed(succeeded()))
      const requestId = yield* RequestFacts.submit({ model: Facts.model })
      yield* RequestFacts.untilEnd(requestId)
      yield* Facts.rest
      assert.deepStrictEqual(yield* Facts.events(Facts.idOf(requestId)), [])
    }).pipe(Effect.provide(layer))
  )
})
