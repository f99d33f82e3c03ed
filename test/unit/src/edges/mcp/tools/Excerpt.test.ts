import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import * as Excerpt from "#src/edges/mcp/tools/Excerpt.ts"

describe("An excerpt", () => {
  it("is the text itself in one line if it is short enough", () => {
    assert.strictEqual(Excerpt.of("  Makes\n\n pictures. ", 30), "Makes pictures.")
    assert.strictEqual(Excerpt.of("exactly ten", 11), "exactly ten")
  })

  it("ends after a word, and marks the omission", () => {
    assert.strictEqual(Excerpt.of("Makes pictures, and turns them.", 20), "Makes pictures, and…")
    assert.strictEqual(Excerpt.of("Makes pictures, and turns them.", 18), "Makes pictures…")
    assert.strictEqual(Excerpt.of("x".repeat(30), 10), `${"x".repeat(9)}…`)
  })

  it("is never longer than requested, begins like the text, and splits no character", () => {
    const texts = fc.string({ unit: "grapheme", maxLength: 80 })
    fc.assert(
      fc.property(texts, fc.integer({ min: 2, max: 60 }), (text, length) => {
        const excerpt = Excerpt.of(text, length)
        assert.isAtMost(excerpt.length, length)
        const line = text.replace(/\s+/g, " ").trim()
        assert.isTrue(excerpt === line || line.startsWith(excerpt.slice(0, -1)))
        assert.isTrue(excerpt.isWellFormed())
      })
    )
  })
})
