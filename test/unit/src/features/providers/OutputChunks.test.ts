import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type { Json } from "#domain/CanonicalJson.ts"
import type { StreamKind } from "#domain/catalog/Model.ts"
import * as OutputChunks from "#src/features/providers/OutputChunks.ts"
import { testModel } from "#test/support/TestModels.ts"
import * as RecordedControl from "#test/support/src/features/providers/contract/RecordedControl.ts"

const of = Effect.fnUntraced(function* (stream: StreamKind, isNew = true) {
  const recorded = yield* RecordedControl.make
  const { model } = testModel("test/streams", { output: { stream } })
  const chunks = OutputChunks.make({ model }, recorded.control, isNew)
  if (chunks === null) return yield* Effect.die(new Error("expected a model that streams"))
  return { ...recorded, own: chunks }
})

const succeeded = (output: Json) => ({ _tag: "Succeeded", output, delivered: null }) as const

describe("OutputChunks", () => {
  it.effect("reports chunks, which are the output", () =>
    Effect.gen(function* () {
      const { chunks, own, restarts } = yield* of("text")
      assert.isTrue(own.take("a") && own.take("b"))
      assert.deepStrictEqual(yield* own.ended(succeeded("ab")), succeeded("ab"))
      assert.deepStrictEqual([chunks, restarts()], [["a", "b"], 0])
    })
  )

  it.effect("replaces chunks that do not add up to the provider's output", () =>
    Effect.gen(function* () {
      const { chunks, own, restarts } = yield* of("text")
      own.take("a")
      assert.deepStrictEqual(yield* own.ended(succeeded(["x", "y"])), succeeded("xy"))
      assert.deepStrictEqual([chunks, restarts()], [["xy"], 1])
    })
  )

  it.effect("reports an output that comes whole", () =>
    Effect.gen(function* () {
      const { chunks, own, restarts } = yield* of("items")
      yield* own.ended(succeeded([1, 2]))
      assert.deepStrictEqual([chunks, restarts()], [[1, 2], 0])
    })
  )

  it.effect("adds what only the output has", () =>
    Effect.gen(function* () {
      const { chunks, own, restarts } = yield* of("items")
      own.take(1)
      assert.deepStrictEqual(yield* own.ended(succeeded([1, 2])), succeeded([1, 2]))
      assert.deepStrictEqual([chunks, restarts()], [[1, 2], 0])
    })
  )

  it.effect("replaces the chunks of a former process", () =>
    Effect.gen(function* () {
      const { chunks, own, restarts } = yield* of("text", false)
      assert.strictEqual(restarts(), 0)
      own.take("a")
      own.take("b")
      assert.deepStrictEqual([chunks, restarts()], [["a", "b"], 1])
      const second = yield* of("text", false)
      yield* second.own.ended(succeeded(""))
      assert.deepStrictEqual([second.chunks, second.restarts()], [[], 1])
    })
  )

  it.effect("gives what a stopped run has made", () =>
    Effect.gen(function* () {
      const { own, stop } = yield* of("text")
      yield* stop
      assert.deepStrictEqual(yield* own.ended({ _tag: "Stopped" }), { _tag: "Stopped" })
      own.take("a")
      assert.deepStrictEqual(yield* own.ended({ _tag: "Stopped" }), { _tag: "CutShort", output: "a" })
      own.restart()
      assert.deepStrictEqual(yield* own.ended({ _tag: "Stopped" }), { _tag: "Stopped" })
    })
  )

  it.effect("does not take the output of a run that stopped by itself for complete", () =>
    Effect.gen(function* () {
      const { own } = yield* of("text")
      own.take("a")
      assert.deepStrictEqual(yield* own.ended({ _tag: "Stopped" }), { _tag: "Stopped" })
    })
  )

  it.effect("ends a run whose chunks are not of the kind", () =>
    Effect.gen(function* () {
      const { chunks, own } = yield* of("text")
      assert.isFalse(own.take(1))
      const fault = own.fault()
      assert.strictEqual(fault?._tag, "ModelFailed")
      assert.isEmpty(chunks)
    })
  )

  it("is absent for models whose output does not stream", () => {
    const control = { chunk: () => {}, restartChunks: () => {}, stopRequested: Effect.never }
    assert.isNull(OutputChunks.make(testModel("test/plain"), control))
  })
})
