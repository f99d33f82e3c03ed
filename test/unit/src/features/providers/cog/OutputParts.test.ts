import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as OutputParts from "#src/features/providers/cog/OutputParts.ts"
import * as OutputChunks from "#src/features/providers/OutputChunks.ts"
import { testModel } from "#test/support/TestModels.ts"
import * as RecordedControl from "#test/support/src/features/providers/contract/RecordedControl.ts"

describe("The parts of an output", () => {
  it.effect("are taken once and in order, by stream and by webhook", () =>
    Effect.gen(function* () {
      const { chunks, control } = yield* RecordedControl.make
      const { model } = testModel("test/streams", { output: { stream: "text" } })
      const parts = OutputParts.make(OutputChunks.make({ model }, control))
      const part = (value: string) => ({ value, scalar: null })
      parts?.take(part("a"), 0)
      parts?.take(part("a"), 0)
      parts?.takeAll(["a", "b"].map(part))
      parts?.take(part("d"), 3)
      parts?.take(part("b"), 1)
      parts?.take(part("c"), 2)
      assert.deepStrictEqual(chunks, ["a", "b", "c"])
    })
  )
})
