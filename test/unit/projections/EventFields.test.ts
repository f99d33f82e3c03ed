import { assert, describe, it } from "@effect/vitest"
import type { Json, JsonObject } from "#domain/CanonicalJson.ts"
import * as EventFields from "#projections/EventFields.ts"

const values: ReadonlyArray<Json> = [null, true, 1, 1.5, "word", "other", [], ["a"], {}, { a: "b" }, { a: 1 }]

/** Each field with its possible values. */
const readers: ReadonlyArray<readonly [string, (data: JsonObject) => Json, ReadonlyArray<Json>]> = [
  ["text", (data) => EventFields.text(data, "field"), ["word", "other"]],
  ["textOrNull", (data) => EventFields.textOrNull(data, "field"), [null, "word", "other"]],
  ["integer", (data) => EventFields.integer(data, "field"), [1]],
  ["integerOrNull", (data) => EventFields.integerOrNull(data, "field"), [null, 1]],
  ["someOf", (data) => EventFields.someOf(data, "field", ["a", "b"]), [[], ["a"]]],
  ["oneOf", (data) => EventFields.oneOf(data, "field", ["word", "wort"]), ["word"]],
  ["object", (data) => EventFields.object(data, "field"), [{}, { a: "b" }, { a: 1 }]],
  ["texts", (data) => EventFields.texts(data, "field"), [{}, { a: "b" }]]
]

describe("A field of an event", () => {
  for (const [name, read, taken] of readers) {
    it(`is read by ${name} if valid, and rejected otherwise`, () => {
      assert.throws(() => read({}), /^The field field is not /)
      for (const value of values) {
        const data = { field: value }
        if (taken.some((each) => JSON.stringify(each) === JSON.stringify(value))) {
          assert.deepStrictEqual(read(data), value)
        } else assert.throws(() => read(data), /^The field field is not /)
      }
    })
  }

  it("is read as an amount of any size, and rejected if it is not the digits of an integer", () => {
    for (const digits of ["0", "-1", "9223372036854775808", "123456789012345678901234567890"]) {
      assert.strictEqual(EventFields.amount({ field: digits }, "field"), BigInt(digits))
    }
    for (const value of [...values, "", " 1", "1.5", "0x10", "1e3", "--1"]) {
      assert.throws(() => EventFields.amount({ field: value }, "field"), /^The field field is not an amount$/)
    }
  })

  it("is not quoted by the error", () => {
    const secret = "s3cr3t"
    for (const [, read] of readers) {
      for (const value of [{ [secret]: 1 }, [secret], 0.5]) {
        try {
          read({ field: value })
        } catch (error) {
          assert.notInclude(String(error), secret)
        }
      }
    }
  })
})
