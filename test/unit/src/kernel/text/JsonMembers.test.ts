import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import * as JsonMembers from "#src/kernel/text/JsonMembers.ts"

/** Names and values as parsed; `null` for what is no object. */
const membersOf = (text: string): ReadonlyArray<readonly [string | null, unknown]> | null => {
  const bytes = Buffer.from(text)
  const found: Array<readonly [string | null, unknown]> = []
  const isObject = JsonMembers.visit(bytes, (name, start, end) => {
    found.push([JsonMembers.nameOf(name, 1_000), JSON.parse(bytes.subarray(start, end).toString())])
  })
  return isObject ? found : null
}

describe("the members of an object's text", () => {
  it("are those that parsing finds", () => {
    fc.assert(
      fc.property(
        fc.dictionary(fc.string(), fc.jsonValue()),
        fc.constantFrom("", "  ", "\t"),
        (value, space) => {
          const text = `\n${JSON.stringify(value, null, space)} `
          // Parsing moves names that are numbers to the front.
          assert.sameDeepMembers([...(membersOf(text) ?? [])], Object.entries(JSON.parse(text)))
        }
      ),
      { numRuns: 300 }
    )
  })

  it.each([
    "",
    "[]",
    "1",
    '"{}"',
    "{",
    '{"a":1',
    '{"a" 1}',
    '{"a":1,}',
    '{"a":1}}',
    '{"a":1} x',
    "{a:1}",
    '{"a":"b'
  ])("refuses %j", (text) => {
    assert.isFalse(JsonMembers.visit(Buffer.from(text), () => {}))
  })

  it("have names with escapes, up to a length", () => {
    assert.strictEqual(JsonMembers.nameOf(Buffer.from('"\\u0069nput"'), 20), "input")
    assert.isNull(JsonMembers.nameOf(Buffer.from('"\\u0069nput"'), 11))
    assert.isNull(JsonMembers.nameOf(Buffer.from('"\\x"'), 20))
  })
})
