import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { isObject, type Json } from "#domain/CanonicalJson.ts"
import * as Money from "#domain/Money.ts"
import type { BuiltinModel } from "#src/features/catalog/models/builtin/BuiltinModel.ts"
import { echo } from "#src/features/catalog/models/builtin/sandbox/Echo.ts"
import { fail, invalidOutput, providerFail } from "#src/features/catalog/models/builtin/sandbox/Failing.ts"
import { flaky } from "#src/features/catalog/models/builtin/sandbox/Flaky.ts"
import { partial } from "#src/features/catalog/models/builtin/sandbox/Partial.ts"
import { sandboxModels } from "#src/features/catalog/models/builtin/sandbox/SandboxModels.ts"
import { slow } from "#src/features/catalog/models/builtin/sandbox/Slow.ts"
import * as SandboxRuns from "#src/features/providers/builtin/SandboxRuns.ts"
import * as ChatAssembly from "#src/features/providers/openai/ChatAssembly.ts"
import * as CompletionChunks from "#src/features/providers/openai/CompletionChunks.ts"
import { chat } from "#src/features/catalog/models/builtin/sandbox/Chat.ts"
import { stream } from "#src/features/catalog/models/builtin/sandbox/Stream.ts"
import * as RecordedRun from "#test/support/src/features/providers/builtin/sandbox/RecordedRun.ts"

const start = Effect.fnUntraced(function* ({ model }: BuiltinModel, input: Json, attempt = 1) {
  const recorded = yield* RecordedRun.make
  const run = SandboxRuns.find(model.endpoint)
  assert.isNotNull(run)
  const effect = run(RecordedRun.jobOf(model, input, attempt), recorded.control)
  return { ...recorded, effect, fiber: yield* Effect.forkChild(effect, { startImmediately: true }) }
})

const outcomeOf = Effect.fnUntraced(function* (model: BuiltinModel, input: Json, attempt = 1) {
  const { fiber } = yield* start(model, input, attempt)
  return yield* Fiber.join(fiber)
})

const one = Money.units(1)
const value = { deep: [1, null, { "": "ü" }], text: "" }

describe("SandboxRuns", () => {
  it("runs every sandbox model, and no other", () => {
    for (const { model } of sandboxModels) assert.isNotNull(SandboxRuns.find(model.endpoint))
    assert.isNull(SandboxRuns.find("sandbox/none"))
    assert.isNull(SandboxRuns.find("constructor"))
  })

  it.effect("echo returns its value and bills one request", () =>
    Effect.gen(function* () {
      const { fiber, reports } = yield* start(echo, { value })
      assert.deepStrictEqual(yield* Fiber.join(fiber), {
        _tag: "Succeeded",
        output: { value },
        delivered: one
      })
      assert.deepStrictEqual(reports, ["started"])
    })
  )

  it.effect.each([null, false, 0, "", [], {}])("echo returns %j unchanged", (value) =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* outcomeOf(echo, { value }), {
        _tag: "Succeeded",
        output: { value },
        delivered: one
      })
    })
  )

  it("echo without a delay ends synchronously", () => {
    const recorded = Effect.runSync(RecordedRun.make)
    const run = SandboxRuns.find("sandbox/echo")
    const outcome = run && Effect.runSync(run(RecordedRun.jobOf(echo.model, { value: 1 }), recorded.control))
    assert.strictEqual(outcome?._tag, "Succeeded")
  })

  it.effect("echo with a delay ends exactly after it", () =>
    Effect.gen(function* () {
      const { fiber } = yield* start(echo, { value, delayMs: 600_000 })
      yield* TestClock.adjust(599_999)
      assert.isUndefined(fiber.pollUnsafe())
      yield* TestClock.adjust(1)
      assert.strictEqual((yield* Fiber.join(fiber))._tag, "Succeeded")
    })
  )

  it.effect.each([
    { model: echo, input: { value, delayMs: 5_000 } },
    { model: slow, input: { seconds: 60 } },
    { model: fail, input: { delayMs: 5_000 } },
    { model: providerFail, input: { delayMs: 5_000 } },
    { model: invalidOutput, input: { delayMs: 5_000 } }
  ])("a running model stops at once when asked to ($model.model.endpoint)", ({ model, input }) =>
    Effect.gen(function* () {
      const { fiber, stop } = yield* start(model, input)
      yield* TestClock.adjust(2_500)
      yield* stop
      assert.deepStrictEqual(yield* Fiber.join(fiber), { _tag: "Stopped" })
    })
  )

  it.effect("slow reports its progress and a log line each second and bills the requested seconds", () =>
    Effect.gen(function* () {
      const { fiber, reports } = yield* start(slow, { seconds: 2.5 })
      assert.deepStrictEqual(reports, ["started"])
      yield* TestClock.adjust(1_000)
      assert.deepStrictEqual(reports.slice(1), [{ fraction: 0.4, logs: ["1 of 2.5 seconds"] }])
      yield* TestClock.adjust(1_000)
      assert.deepStrictEqual(reports.slice(2), [{ fraction: 0.8, logs: ["2 of 2.5 seconds"] }])
      yield* TestClock.adjust(499)
      assert.isUndefined(fiber.pollUnsafe())
      yield* TestClock.adjust(1)
      assert.deepStrictEqual(yield* Fiber.join(fiber), {
        _tag: "Succeeded",
        output: { slept: 2.5 },
        delivered: Money.millionths(2_500_000)
      })
      assert.strictEqual(reports.length, 3)
    })
  )

  it.effect("slow for zero seconds ends at once and bills nothing", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* outcomeOf(slow, { seconds: 0 }), {
        _tag: "Succeeded",
        output: { slept: 0 },
        delivered: Money.units(0)
      })
    })
  )

  it.effect("slow runs for an hour and reports 3,600 times", () =>
    Effect.gen(function* () {
      const { fiber, reports } = yield* start(slow, { seconds: 3_600 })
      yield* TestClock.adjust("1 hour")
      assert.strictEqual((yield* Fiber.join(fiber))._tag, "Succeeded")
      assert.strictEqual(reports.length, 3_601)
      assert.deepStrictEqual(reports.at(-1), { fraction: 1, logs: ["3600 of 3600 seconds"] })
    })
  )

  it.effect("slow takes no longer when the reports are slow", () =>
    Effect.gen(function* () {
      const recorded = yield* RecordedRun.make
      const run = SandboxRuns.find("sandbox/slow")
      assert.isNotNull(run)
      const fiber = yield* Effect.forkChild(
        run(RecordedRun.jobOf(slow.model, { seconds: 10 }), {
          ...recorded.control,
          progress: () => Effect.sleep(900)
        }),
        { startImmediately: true }
      )
      yield* TestClock.adjust(10_900)
      assert.strictEqual((yield* Fiber.join(fiber))._tag, "Succeeded")
    })
  )

  it.effect("fail is rejected for good with the client's message, without a start", () =>
    Effect.gen(function* () {
      const { fiber, reports } = yield* start(fail, { message: "no such GPU" })
      assert.deepStrictEqual(yield* Fiber.join(fiber), {
        _tag: "ProviderError",
        message: "no such GPU",
        retryable: false
      })
      assert.deepStrictEqual(reports, [])
    })
  )

  it.effect("fail with a delay starts and is rejected after it", () =>
    Effect.gen(function* () {
      const { fiber, reports } = yield* start(fail, { delayMs: 1_000 })
      assert.deepStrictEqual(reports, ["started"])
      yield* TestClock.adjust(1_000)
      assert.deepStrictEqual(yield* Fiber.join(fiber), {
        _tag: "ProviderError",
        message: "The provider refused to run the model.",
        retryable: false
      })
    })
  )

  it.effect("provider-fail has run and reports the client's message, or its own", () =>
    Effect.gen(function* () {
      const { fiber, reports } = yield* start(providerFail, { message: "out of memory" })
      assert.deepStrictEqual(yield* Fiber.join(fiber), { _tag: "ModelFailed", message: "out of memory" })
      assert.deepStrictEqual(reports, ["started"])
      assert.deepStrictEqual(yield* outcomeOf(providerFail, {}), {
        _tag: "ModelFailed",
        message: "The model reported a failure."
      })
    })
  )

  it.effect.each([
    { deliver: 4, indexes: [0, 1, 2, 3] },
    { deliver: 10, indexes: [0, 1, 2, 3] },
    { deliver: 3, indexes: [0, 1, 2] },
    { deliver: 1, indexes: [0] }
  ])("partial delivers and bills $deliver of 4 items, at most 4", ({ deliver, indexes }) =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* outcomeOf(partial, { count: 4, deliver }), {
        _tag: "Succeeded",
        output: { items: indexes.map((index) => ({ index })) },
        delivered: Money.units(indexes.length)
      })
    })
  )

  it.effect("partial that delivers nothing is a failed run", () =>
    Effect.gen(function* () {
      const { fiber, reports } = yield* start(partial, { count: 4, deliver: 0 })
      assert.strictEqual((yield* Fiber.join(fiber))._tag, "ModelFailed")
      assert.deepStrictEqual(reports, ["started"])
    })
  )

  it.effect("flaky fails in transport as often as requested, then counts its attempts", () =>
    Effect.gen(function* () {
      for (const attempt of [1, 2]) {
        const { fiber, reports } = yield* start(flaky, { failures: 2 }, attempt)
        assert.deepStrictEqual(yield* Fiber.join(fiber), {
          _tag: "ProviderError",
          message: "The connection to the model was lost.",
          retryable: true
        })
        assert.deepStrictEqual(reports, [])
      }
      assert.deepStrictEqual(yield* outcomeOf(flaky, { failures: 2 }, 3), {
        _tag: "Succeeded",
        output: { attempts: 3 },
        delivered: one
      })
    })
  )

  it.effect("stream says each word at its time, and bills one request", () =>
    Effect.gen(function* () {
      const { chunks, fiber } = yield* start(stream, { text: "Once upon  a", delayMs: 100, count: 4 })
      yield* TestClock.adjust(99)
      assert.isEmpty(chunks)
      yield* TestClock.adjust(1)
      assert.deepStrictEqual(chunks, ["Once "])
      yield* TestClock.adjust(300)
      assert.deepStrictEqual(yield* Fiber.join(fiber), {
        _tag: "Succeeded",
        output: "Once upon  aOnce ",
        delivered: one
      })
      assert.deepStrictEqual(chunks, ["Once ", "upon  ", "a", "Once "])
    })
  )

  it.effect("chat says the last message again, of texts or parts, and tells its usage", () =>
    Effect.gen(function* () {
      const saidOf = Effect.fnUntraced(function* (content: Json) {
        const messages = [
          { role: "system", content: "Be brief" },
          { role: "user", content }
        ]
        const { chunks, fiber } = yield* start(chat, { messages, temperature: 0 })
        yield* TestClock.adjust(1_000)
        const outcome = yield* Fiber.join(fiber)
        const assembly = ChatAssembly.make()
        for (const chunk of chunks) assert.isTrue(isObject(chunk) && assembly.take(chunk) !== null)
        const output = outcome._tag === "Succeeded" ? outcome.output : null
        assert.deepStrictEqual(assembly.completion(), output)
        const texts = chunks.map((chunk) => (isObject(chunk) ? CompletionChunks.textIn(chunk) : ""))
        return {
          texts: texts.filter((text) => text !== ""),
          usage: isObject(output) ? output["usage"] : null
        }
      })
      const usage = (said: number, prompt = 2 + said) => ({
        prompt_tokens: prompt,
        completion_tokens: said,
        total_tokens: prompt + said
      })
      assert.deepStrictEqual(yield* saidOf("Say  this"), { texts: ["Say  ", "this"], usage: usage(2) })
      const picture = { type: "image_url", image_url: { url: "data:" } }
      assert.deepStrictEqual(yield* saidOf([{ type: "text", text: "a b" }, picture]), {
        texts: ["a ", "b"],
        usage: usage(2)
      })
      assert.deepStrictEqual(yield* saidOf(null), { texts: [], usage: usage(0) })
    })
  )

  it.effect("stream ends with what it has said when it is stopped", () =>
    Effect.gen(function* () {
      const { fiber, stop } = yield* start(stream, { text: "Once upon a", delayMs: 100 })
      yield* TestClock.adjust(250)
      yield* stop
      assert.deepStrictEqual(yield* Fiber.join(fiber), { _tag: "CutShort", output: "Once upon " })
      const early = yield* start(stream, { delayMs: 100 })
      yield* early.stop
      assert.deepStrictEqual(yield* Fiber.join(early.fiber), { _tag: "Stopped" })
    })
  )
})
