import { assert, describe, it } from "@effect/vitest"
import * as JsonFault from "#src/kernel/text/JsonFault.ts"

const described = (text: string): string | null => {
  const fault = JsonFault.find(text)
  return fault === null ? null : JsonFault.describe(fault)
}

describe("JsonFault", () => {
  it.each([
    ["NaN", "NaN"],
    ['{"output":{"score":NaN}}', "NaN at /output/score"],
    ['{"a":[1, [2, -Infinity]]}', "-Infinity at /a/1/1"],
    ['[{"x":1},{"y":Infinity}]', "Infinity at /1/y"],
    ['{"a/b~c":NaN}', "NaN at /a~1b~0c"],
    ['{"a":{"b":1},"c":[{},[]],"d":NaN}', "NaN at /d"],
    ['{"a":1e999}', "a number that is too large at /a"],
    ['{"a":"text', "its end at /a"],
    ['{"a":[1,', "its end at /a/1"],
    ['{"a":1', "its end at /a"],
    ['{"a":"b\nc"}', "a character that JSON does not allow at /a"],
    ["{'a':1}", "a character that JSON does not allow"],
    ['{"a":1,}', "a character that JSON does not allow"],
    ["[1 2]", "a character that JSON does not allow at /0"],
    ['{"a":1} {"b":2}', "more after its end"],
    ["", "its end"]
  ])("finds where %j breaks JSON", (text, expected) => {
    assert.strictEqual(described(text), expected)
  })

  it.each(['{"a":[1,-2.5e3,true,false,null,"\\u00e9\\"",{}]}', " [ ] ", '"NaN"', "0"])(
    "accepts %j",
    (text) => {
      assert.isNull(described(text))
    }
  )

  it("reads deep texts and long names, and shortens what it shows", () => {
    assert.isAtMost(described(`${"[".repeat(100_000)}NaN`)?.length ?? 0, 250)
    assert.isAtMost(described(`{"${"n".repeat(10_000)}":NaN}`)?.length ?? 0, 250)
  })
})
