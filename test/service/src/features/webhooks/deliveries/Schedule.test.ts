/** When attempts are made, how many, and what ends them. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import * as TestNode from "#test/support/TestNode.ts"
import * as Facts from "#test/support/src/features/webhooks/deliveries/DeliveryFacts.ts"
import * as Hook from "#test/support/src/features/webhooks/deliveries/Hook.ts"

const layer = (guard: TestNode.NodeOptions["guard"] = {}) =>
  TestNode.layer({ models: [Facts.model], delivers: true, guard })

describe("A webhook that fails", () => {
  it.effect("is sent again after exactly 5 s, 30 s, 2, 5, 10, 20, 30, 45 and 60 min, ten times in all", () =>
    Effect.gen(function* () {
      const hook = yield* Hook.make(503)
      const { id } = yield* Facts.ended(hook.url)
      const expected = [0]
      for (let attempt = 1; attempt < 10; attempt++) {
        yield* hook.until(attempt)
        const { phase } = yield* Facts.untilAttempts(id, attempt)
        const next = (expected.at(-1) ?? 0) + Facts.delayAfter(attempt)
        assert.deepStrictEqual(phase, { _tag: "Pending", nextAttemptAt: next, trigger: "schedule" })
        yield* Facts.wait(
          attempt,
          Effect.sync(() => assert.lengthOf(hook.posted(), attempt))
        )
        expected.push(next)
      }
      const last = yield* Facts.untilAttempts(id, 10)
      assert.strictEqual(last.phase._tag, "Failed")
      assert.deepInclude(last, { attempts: 10, lastResponseStatus: 503, lastError: "http_503" })
      yield* Facts.passEveryDelay
      assert.deepStrictEqual(
        hook.posted().map(({ at }) => at),
        expected
      )
      assert.deepStrictEqual(Facts.startsOf(yield* Facts.events(id)), expected)
      const seconds = expected.map((at) => at / 1_000)
      assert.deepStrictEqual(seconds, [0, 5, 35, 155, 455, 1_055, 2_255, 4_055, 6_755, 10_355])
      assert.deepInclude((yield* Facts.events(id)).at(-1), { _tag: "DeliveryFailed", reason: "exhausted" })
    }).pipe(Effect.provide(layer()))
  )

  it.effect("is complete at the first 2xx, on any attempt", () =>
    Effect.gen(function* () {
      const hook = yield* Hook.make(500)
      const { id } = yield* Facts.ended(hook.url)
      yield* Facts.untilAttempts(id, 1)
      hook.answerWith(202)
      yield* TestClock.adjust("5 seconds")
      const { deliveredAt, lastError, lastResponseStatus, phase } = yield* Facts.untilAttempts(id, 2)
      assert.deepStrictEqual(phase, { _tag: "Delivered", at: 5_000 })
      assert.deepStrictEqual([deliveredAt, lastError, lastResponseStatus], [5_000, null, 202])
      yield* Facts.passEveryDelay
      assert.lengthOf(hook.posted(), 2)
    }).pipe(Effect.provide(layer()))
  )

  for (const [status, error] of [
    [302, "redirect_refused"],
    [304, "redirect_refused"],
    [400, "http_400"],
    [404, "http_404"],
    [429, "http_429"]
  ] as const) {
    it.effect(`is sent again after ${status}`, () =>
      Effect.gen(function* () {
        const canary = yield* Hook.make()
        const hook = yield* Hook.make((response) =>
          response.writeHead(status, { location: canary.url, "retry-after": "9999" }).end()
        )
        const { id } = yield* Facts.ended(hook.url)
        const { lastError, lastResponseStatus } = yield* Facts.untilAttempts(id, 1)
        assert.deepStrictEqual([lastResponseStatus, lastError], [status, error])
        yield* TestClock.adjust("5 seconds")
        yield* Facts.untilAttempts(id, 2)
        assert.lengthOf(canary.posted(), 0)
      }).pipe(Effect.provide(layer()))
    )
  }

  it.effect("without an answer is given up after 15 s, and its wait begins then", () =>
    Effect.gen(function* () {
      const hook = yield* Hook.make(() => {})
      const { id } = yield* Facts.ended(hook.url)
      yield* hook.until(1)
      yield* TestClock.adjust(14_999)
      yield* Facts.rest
      assert.deepStrictEqual((yield* Facts.delivery(id)).phase, {
        _tag: "Delivering",
        attempt: 1,
        node: "node"
      })
      yield* TestClock.adjust(1)
      const { lastError, lastResponseStatus, phase } = yield* Facts.untilAttempts(id, 1)
      assert.deepStrictEqual([lastError, lastResponseStatus], ["timeout", null])
      assert.deepStrictEqual(phase, { _tag: "Pending", nextAttemptAt: 20_000, trigger: "schedule" })
      const [end] = Facts.endsOf(yield* Facts.events(id))
      assert.deepInclude(end, { durationMs: 15_000 })
    }).pipe(Effect.provide(layer()))
  )

  it.effect("without a name that resolves is sent again", () => {
    let isThere = false
    const resolve = () => Effect.sync(() => (isThere ? ["127.0.0.1"] : []))
    return Effect.gen(function* () {
      const hook = yield* Hook.make()
      const { id } = yield* Facts.ended(hook.url)
      assert.strictEqual((yield* Facts.untilAttempts(id, 1)).lastError, "dns_error")
      isThere = true
      yield* TestClock.adjust("5 seconds")
      assert.strictEqual((yield* Facts.untilAttempts(id, 2)).phase._tag, "Delivered")
    }).pipe(Effect.provide(layer({ resolve })))
  })
})

describe("A webhook is given up at once", () => {
  it.effect("after 410", () =>
    Effect.gen(function* () {
      const hook = yield* Hook.make(410)
      const { id } = yield* Facts.ended(hook.url)
      const { lastError, lastResponseStatus, phase } = yield* Facts.untilAttempts(id, 1)
      assert.deepStrictEqual([lastResponseStatus, lastError, phase._tag], [410, "gone", "Failed"])
      assert.deepInclude((yield* Facts.events(id)).at(-1), { _tag: "DeliveryFailed", reason: "gone" })
      yield* Facts.passEveryDelay
      assert.lengthOf(hook.posted(), 1)
    }).pipe(Effect.provide(layer()))
  )

  for (const [what, addresses] of [
    ["is private", ["10.0.0.1"]],
    ["is private beside one that is not", ["127.0.0.1", "169.254.169.254"]]
  ] as const) {
    it.effect(`when its name by then has an address that ${what}`, () => {
      let isPublic = true
      const resolve = () => Effect.sync(() => (isPublic ? ["127.0.0.1"] : addresses))
      return Effect.gen(function* () {
        const hook = yield* Hook.make(503)
        const { id } = yield* Facts.ended(hook.url)
        yield* Facts.untilAttempts(id, 1)
        isPublic = false
        yield* TestClock.adjust("5 seconds")
        const { lastError, lastResponseStatus, phase } = yield* Facts.untilAttempts(id, 2)
        assert.deepStrictEqual(
          [lastResponseStatus, lastError, phase._tag],
          [null, "private_address", "Failed"]
        )
        assert.notInclude(JSON.stringify(yield* Facts.events(id)), "10.0.0.1")
        yield* Facts.passEveryDelay
        assert.lengthOf(hook.posted(), 1)
        assert.strictEqual((yield* Facts.delivery(id)).attempts, 2)
      }).pipe(Effect.provide(layer({ resolve })))
    })
  }
})
