import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Result } from "effect"
import { TestClock } from "effect/testing"
import type { Json } from "#domain/CanonicalJson.ts"
import * as Money from "#domain/Money.ts"
import * as Pricing from "#domain/Pricing.ts"
import type { BuiltinModel } from "#src/features/catalog/models/builtin/BuiltinModel.ts"
import { echo } from "#src/features/catalog/models/builtin/sandbox/Echo.ts"
import { fail, invalidOutput, providerFail } from "#src/features/catalog/models/builtin/sandbox/Failing.ts"
import { flaky } from "#src/features/catalog/models/builtin/sandbox/Flaky.ts"
import { partial } from "#src/features/catalog/models/builtin/sandbox/Partial.ts"
import { slow } from "#src/features/catalog/models/builtin/sandbox/Slow.ts"
import { chat } from "#src/features/catalog/models/builtin/sandbox/Chat.ts"
import { stream } from "#src/features/catalog/models/builtin/sandbox/Stream.ts"
import * as JsonSchemaValidator from "#src/features/catalog/models/JsonSchemaValidator.ts"
import * as SandboxRuns from "#src/features/providers/builtin/SandboxRuns.ts"
import * as RecordedRun from "#test/support/src/features/providers/builtin/sandbox/RecordedRun.ts"

const broken = ({ model }: BuiltinModel, input: Json) =>
  Result.getOrThrow(JsonSchemaValidator.make(model.inputSchema))
    .issues(input)
    .map((issue) => `${issue.path.join(".")} ${issue.code}`)

const holdFor = ({ model, quantities }: BuiltinModel, input: Json) => {
  const { quantity, maxQuantity } = quantities(input)
  return Money.format(Pricing.quote(model.price, quantity, maxQuantity).hold)
}

const outcomeOf = Effect.fnUntraced(function* ({ model }: BuiltinModel, input: Json) {
  const { control } = yield* RecordedRun.make
  const run = SandboxRuns.find(model.endpoint)
  assert.isNotNull(run)
  return yield* run(RecordedRun.jobOf(model, input), control)
})

const delays = [echo, fail, providerFail, invalidOutput].map((model) => ({
  model,
  endpoint: model.model.endpoint,
  base: model === echo ? { value: 1 } : {}
}))

describe("SandboxModels", () => {
  it.each(delays)("$endpoint accepts a delayMs of whole ms from 0 to 600000", ({ model, base }) => {
    for (const delayMs of [0, 1, 600_000]) assert.deepStrictEqual(broken(model, { ...base, delayMs }), [])
    for (const [delayMs, code] of [
      [-1, "minimum"],
      [600_001, "maximum"],
      [0.5, "type"],
      ["1", "type"],
      [null, "type"]
    ] as const) {
      assert.deepStrictEqual(broken(model, { ...base, delayMs }), [`delayMs ${code}`])
    }
  })

  it.each(delays)("$endpoint has time for its longest delay, at 0.001 per request", ({ model, base }) => {
    assert.isAbove(model.model.timeoutSeconds, 600)
    assert.strictEqual(model.model.price.unit, "request")
    assert.strictEqual(holdFor(model, { ...base, delayMs: 600_000 }), "0.001")
  })

  it("echo requires a value of any type and rejects other fields", () => {
    for (const value of [null, true, 0, "", [1], { a: 1 }])
      assert.deepStrictEqual(broken(echo, { value }), [])
    assert.deepStrictEqual(broken(echo, {}), ["value required"])
    assert.deepStrictEqual(broken(echo, { value: 1, extra: 1 }), ["extra additionalProperties"])
    assert.deepStrictEqual(broken(echo, []), [" type"])
    assert.deepStrictEqual(broken(echo, null), [" type"])
  })

  it.each([
    { model: fail, endpoint: fail.model.endpoint },
    { model: providerFail, endpoint: providerFail.model.endpoint }
  ])("$endpoint accepts a message of at most 1,000 characters", ({ model }) => {
    assert.deepStrictEqual(broken(model, {}), [])
    assert.deepStrictEqual(broken(model, { message: "x".repeat(1_000) }), [])
    assert.deepStrictEqual(broken(model, { message: "x".repeat(1_001) }), ["message maxLength"])
    assert.deepStrictEqual(broken(model, { message: 1 }), ["message type"])
  })

  it("slow accepts 0 to 3,600 seconds, has time for them, and costs 0.0001 for each, never zero", () => {
    for (const seconds of [0, 0.25, 3_600]) assert.deepStrictEqual(broken(slow, { seconds }), [])
    assert.deepStrictEqual(broken(slow, {}), ["seconds required"])
    assert.deepStrictEqual(broken(slow, { seconds: -1 }), ["seconds minimum"])
    assert.deepStrictEqual(broken(slow, { seconds: 3_600.5 }), ["seconds maximum"])
    assert.isAbove(slow.model.timeoutSeconds, 3_600)
    assert.strictEqual(slow.model.price.unit, "second")
    assert.deepStrictEqual(
      [0, 1, 2.5, 3_600].map((seconds) => holdFor(slow, { seconds })),
      ["0.000000001", "0.0001", "0.00025", "0.36"]
    )
  })

  it("partial accepts a count of 1 to 10 and a deliver of 0 to 10, and holds 0.002 for each requested item", () => {
    assert.deepStrictEqual(broken(partial, { count: 1, deliver: 0 }), [])
    assert.deepStrictEqual(broken(partial, { count: 10, deliver: 10 }), [])
    assert.deepStrictEqual(broken(partial, { count: 0, deliver: -1 }), ["count minimum", "deliver minimum"])
    assert.deepStrictEqual(broken(partial, { count: 11, deliver: 11 }), ["count maximum", "deliver maximum"])
    assert.deepStrictEqual(broken(partial, {}), ["count required", "deliver required"])
    assert.strictEqual(partial.model.price.unit, "image")
    assert.strictEqual(holdFor(partial, { count: 4, deliver: 3 }), "0.008")
  })

  it.effect("partial is charged for delivered items", () =>
    Effect.gen(function* () {
      const input = { count: 4, deliver: 3 }
      const { quantity, maxQuantity } = partial.quantities(input)
      const outcome = yield* outcomeOf(partial, input)
      assert(outcome._tag === "Succeeded" && outcome.delivered !== null)
      const quote = Pricing.quote(partial.model.price, quantity, maxQuantity)
      assert.isTrue(outcome.delivered < quote.maxQuantity)
      assert.strictEqual(Money.format(Pricing.charge(quote, outcome.delivered)), "0.006")
    })
  )

  it("stream accepts a text, 1 to 1,000 words and 0 to 600 ms for each, and has time for them", () => {
    assert.deepStrictEqual(broken(stream, {}), [])
    assert.deepStrictEqual(broken(stream, { text: "a b", count: 1_000, delayMs: 600 }), [])
    assert.deepStrictEqual(broken(stream, { text: "", count: 0, delayMs: -1 }), [
      "text minLength",
      "count minimum",
      "delayMs minimum"
    ])
    assert.deepStrictEqual(broken(stream, { count: 1_001, delayMs: 601 }), [
      "count maximum",
      "delayMs maximum"
    ])
    assert.isAbove(stream.model.timeoutSeconds, 600)
    assert.strictEqual(holdFor(stream, {}), "0.001")
  })

  it("flaky accepts 0 to 10 failures at 0.001 per request", () => {
    for (const failures of [0, 10]) assert.deepStrictEqual(broken(flaky, { failures }), [])
    assert.deepStrictEqual(broken(flaky, {}), ["failures required"])
    assert.deepStrictEqual(broken(flaky, { failures: 11 }), ["failures maximum"])
    assert.deepStrictEqual(broken(flaky, { failures: 1.5 }), ["failures type"])
    assert.strictEqual(holdFor(flaky, { failures: 10 }), "0.001")
  })

  it.effect.each([
    { model: echo, input: { value: { a: [null] } }, places: [] },
    { model: slow, input: { seconds: 1.5 }, places: [] },
    { model: partial, input: { count: 10, deliver: 10 }, places: [] },
    { model: flaky, input: { failures: 0 }, places: [] },
    { model: stream, input: {}, places: [] },
    { model: chat, input: { messages: [{ role: "user", content: "Hi" }] }, places: [] },
    { model: invalidOutput, input: {}, places: ["/label", "/score"] }
  ])(
    "$model.model.endpoint violates its output schema in these places: $places",
    ({ model, input, places }) =>
      Effect.gen(function* () {
        const fiber = yield* Effect.forkChild(outcomeOf(model, input))
        yield* TestClock.adjust("2 seconds")
        const outcome = yield* Fiber.join(fiber)
        assert(outcome._tag === "Succeeded")
        assert.deepStrictEqual(
          Result.getOrThrow(JsonSchemaValidator.make(model.model.outputSchema))
            .violations(outcome.output)
            .map((violation) => violation.instancePath),
          places
        )
      })
  )
})
