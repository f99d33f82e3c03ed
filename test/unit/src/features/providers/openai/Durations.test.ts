import { assert, describe, it } from "@effect/vitest"
import * as Durations from "#src/features/providers/openai/Durations.ts"

describe("Durations of rate limits", () => {
  it("are parsed in OpenAI's format, and as plain seconds", () => {
    const told = ["1s", "12ms", "6m0s", "1h2m3.5s", "1.5s", "0s", "20", " 3 "]
    assert.deepStrictEqual(
      told.map(Durations.parse),
      [1_000, 12, 360_000, 3_723_500, 1_500, 0, 20_000, 3_000]
    )
  })

  it("are rejected in other formats", () => {
    for (const text of ["", "s", "1 s", "-1s", "1d", "soon", "1s later", "2026-11-22T06:00:00Z"])
      assert.isNull(Durations.parse(text), text)
  })
})
