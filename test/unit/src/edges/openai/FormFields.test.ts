import { assert, describe, it } from "@effect/vitest"
import * as FormFields from "#src/edges/openai/audio/FormFields.ts"

describe("The fields of a form", () => {
  it("are texts unless the schema says otherwise", () => {
    const fields = { prompt: "2024", other: "007", temperature: "0.5", stream: "true", list: ["1"] }
    const properties = {
      prompt: { type: ["string", "number"] },
      temperature: { type: "number" },
      stream: { type: "boolean" }
    }
    const expected = { ...fields, temperature: 0.5, stream: true }
    assert.deepStrictEqual(FormFields.typed(fields, { type: "object", properties }), expected)
    assert.deepStrictEqual(FormFields.typed(fields, true), fields)
  })
})
