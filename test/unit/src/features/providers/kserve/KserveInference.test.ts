import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import type { Json, JsonObject } from "#domain/CanonicalJson.ts"
import type { ProviderOutcome } from "#domain/Outcome.ts"
import * as KserveProvider from "#src/features/providers/kserve/KserveProvider.ts"
import * as Receiver from "#test/support/src/kernel/outbound/Receiver.ts"
import * as AdapterRuns from "#test/support/src/features/providers/contract/AdapterRuns.ts"
import * as JsonHttp from "#test/support/upstreams/JsonHttp.ts"
import * as Kserve from "#test/support/upstreams/Kserve.ts"

const adapter = { provider: KserveProvider.make }

/** The end of a run at the server, and the first inference call. */
const inference = Effect.fnUntraced(function* (options: AdapterRuns.RunOptions = {}) {
  const upstream = yield* Kserve.make
  const outcome = yield* AdapterRuns.outcomeOf(adapter, upstream, options)
  const [body] = yield* upstream.received
  return { outcome, body: JsonHttp.isObject(body) ? body : {} }
})

const outputOf = (outcome: ProviderOutcome) => (outcome._tag === "Succeeded" ? outcome.output : outcome)

/** The end of a run at a server with this answer. */
const endOf = Effect.fnUntraced(function* (status: number, answer: Json, options: JsonObject = {}) {
  const upstream = yield* Kserve.make
  const { port } = yield* Receiver.http((_request, response) => JsonHttp.answer(response, status, answer))
  return yield* AdapterRuns.outcomeOf(adapter, upstream, { url: `http://127.0.0.1:${port}/`, options })
})

const errorAnswer = (outcome: ProviderOutcome) =>
  outcome._tag === "ProviderError" ? { message: outcome.message, retryable: outcome.retryable } : outcome

describe("An inference", () => {
  it.live("contains the request's id, and has flat tensors", () =>
    Effect.gen(function* () {
      const { body } = yield* inference()
      assert.deepStrictEqual(body, {
        id: "rq0000000000000000001",
        inputs: [
          { name: "text", shape: [1], datatype: "BYTES", data: ["ab"] },
          { name: "times", shape: [1], datatype: "INT32", data: [3] },
          { name: "numbers", shape: [3, 2], datatype: "FP32", data: [1, 2, 3, 4, 5, 6] }
        ]
      })
    })
  )

  it.live("requests only the declared outputs, with the parameters of the binding", () =>
    Effect.gen(function* () {
      const { body, outcome } = yield* inference({
        options: { outputs: { total: "sum", again: "sum" }, parameters: { temperature: 0.5 } }
      })
      assert.deepStrictEqual(body["outputs"], [{ name: "sum" }])
      assert.deepStrictEqual(body["parameters"], { temperature: 0.5 })
      assert.deepStrictEqual(outputOf(outcome), { total: 21, again: 21 })
    })
  )

  it.live("uses defaults for absent inputs", () =>
    Effect.gen(function* () {
      const { outcome } = yield* inference({ input: { text: "x", numbers: [1, 2, 3, 4] } })
      assert.deepStrictEqual(outputOf(outcome), {
        repeated: "xx",
        sum: 10,
        doubled: [
          [2, 4],
          [6, 8]
        ]
      })
    })
  )

  it.live("that the server rejects is a failure of the model, with its message", () =>
    Effect.gen(function* () {
      const { outcome } = yield* inference({ input: { numbers: [1, 2] } })
      assert.deepStrictEqual(outcome, {
        _tag: "ModelFailed",
        message: "expected 3 inputs, 'text' is missing",
        upstream: { status: 400 }
      })
    })
  )

  it.live("is not sent for an input that does not fit its tensors", () =>
    Effect.gen(function* () {
      for (const numbers of ["s3cret", [1, 2, 3], [[1, 2], [3]]]) {
        const { body, outcome } = yield* inference({ input: { text: "x", numbers } })
        assert.deepStrictEqual(body, {})
        const { message, retryable } = { message: "", retryable: true, ...errorAnswer(outcome) }
        assert.match(
          message,
          /^The input does not go into the model's tensors: field numbers is expected to /
        )
        assert.notInclude(message, "s3cret")
        assert.isFalse(retryable)
      }
    })
  )

  it.live("uses the input itself without declared tensors, and the answer as the output", () =>
    Effect.gen(function* () {
      const upstream = yield* Kserve.make
      const raw = { ...upstream, binding: { ...upstream.binding, options: { model: "repeat" } } }
      const inputs = [
        { name: "text", shape: [1], datatype: "BYTES", data: ["ab"] },
        { name: "times", shape: [1], datatype: "INT32", data: [1] },
        { name: "numbers", shape: [1, 2], datatype: "FP32", data: [[1, 2]] }
      ]
      const input = { id: "mine", inputs, outputs: [{ name: "sum" }] }
      const outcome = yield* AdapterRuns.outcomeOf(adapter, raw, { input })
      assert.deepStrictEqual(yield* upstream.received, [input])
      assert.deepStrictEqual(outputOf(outcome), {
        id: "mine",
        model_name: "repeat",
        model_version: "3",
        outputs: [{ name: "sum", datatype: "FP32", shape: [1], data: [3] }]
      })
      const mapped = yield* AdapterRuns.outcomeOf(adapter, raw, {
        input,
        options: { outputs: { sum: "sum" } }
      })
      assert.deepStrictEqual(outputOf(mapped), { sum: 3 })
      const none = errorAnswer(yield* AdapterRuns.outcomeOf(adapter, raw, { input: { text: "x" } }))
      assert.isFalse("retryable" in none && none.retryable)
    })
  )

  it.live("is aborted when its caller is interrupted", () =>
    Effect.gen(function* () {
      const upstream = yield* Kserve.make
      yield* upstream.plan({ _tag: "Succeeds", held: true }, { _tag: "Succeeds", held: true })
      const first = yield* AdapterRuns.begin(adapter, upstream)
      yield* upstream.taken(1)
      yield* first.stop
      assert.deepStrictEqual(yield* first.outcome, { _tag: "Stopped" })
      const second = yield* AdapterRuns.begin(adapter, upstream)
      yield* upstream.taken(2)
      yield* Fiber.interrupt(second.fiber)
      yield* upstream.abandoned(2)
    })
  )

  it.live("has started once it is sent", () =>
    Effect.gen(function* () {
      const upstream = yield* Kserve.make
      yield* upstream.plan({ _tag: "Succeeds", held: true })
      const { outcome, reports } = yield* AdapterRuns.begin(adapter, upstream)
      yield* upstream.taken(1)
      assert.deepStrictEqual(reports, ["started"])
      yield* upstream.release
      yield* outcome
      assert.deepStrictEqual(reports, ["started"])
    })
  )
})

describe("A server's rejection", () => {
  it.live("is the model's failure with 400 and 422 in the protocol's form only", () =>
    Effect.gen(function* () {
      const said = { error: "input 'text' is empty" }
      for (const status of [400, 422]) {
        const failed = { _tag: "ModelFailed", message: "input 'text' is empty", upstream: { status } }
        assert.deepStrictEqual<unknown>(yield* endOf(status, said), failed)
      }
      assert.deepStrictEqual(errorAnswer(yield* endOf(404, { error: "unknown model: 'x'" })), {
        message: "The provider refused the run with status 404: unknown model: 'x'",
        retryable: false
      })
      assert.deepStrictEqual(errorAnswer(yield* endOf(500, { error: "/models/x.py line 7" })), {
        message: "The provider failed with status 500.",
        retryable: true
      })
      assert.strictEqual((yield* endOf(429, { error: "busy" }))._tag, "RateLimited")
    })
  )

  it.live("is final when the answer lacks a requested output", () =>
    Effect.gen(function* () {
      const answer = { outputs: [{ name: "sum", datatype: "FP32", shape: [1], data: [1] }] }
      assert.deepStrictEqual(outputOf(yield* endOf(200, answer)), { sum: 1 })
      const outcome = yield* endOf(200, answer, { outputs: { total: "total" } })
      assert.strictEqual(outcome._tag, "ModelFailed")
    })
  )

  it.live("is final when the binding's options are wrong", () =>
    Effect.gen(function* () {
      const outcome = errorAnswer((yield* inference({ options: { model: 7 } })).outcome)
      assert.isTrue("retryable" in outcome && !outcome.retryable)
    })
  )
})
