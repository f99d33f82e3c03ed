import { assert, describe, it } from "@effect/vitest"
import { isPassword, normalized } from "#src/features/accounts/PasswordText.ts"

describe("The text of a password", () => {
  it("has 15 to 256 characters, however many code units and bytes they take", () => {
    for (const character of ["a", " ", "ü", "油", "🛢"]) {
      assert.isFalse(isPassword(character.repeat(14)), character)
      assert.isTrue(isPassword(character.repeat(15)), character)
      assert.isTrue(isPassword(character.repeat(256)), character)
      assert.isFalse(isPassword(character.repeat(257)), character)
    }
  })

  it("is the same for equivalent Unicode forms", () => {
    const composed = "déjà vu, déjà lu, déjà bu"
    assert.strictEqual(normalized(composed.normalize("NFD")), composed)
    assert.strictEqual(normalized("ｃｏｒｒｅｃｔ　ｈｏｒｓｅ　ｂａｔｔｅｒｙ"), "correct horse battery")
  })

  it("is counted after normalization", () => {
    assert.isFalse(isPassword("e\u0301".repeat(14)))
    assert.isTrue(isPassword("e\u0301".repeat(256)))
    assert.isTrue(isPassword("ﬄ".repeat(5)))
    assert.isFalse(isPassword("ﬄ".repeat(86)))
  })

  it.each(["\n", "\r", "\t", "\0", "\u007f", "\u0085", "\ud800"])("must not contain %j", (character) => {
    assert.isFalse(isPassword(`correct horse${character}battery`))
    assert.isFalse(isPassword(`correct horse battery${character}`))
  })

  it("is rejected without normalization when it is far too long", () => {
    assert.isNull(normalized("a".repeat(100_000_000)))
  })
})
