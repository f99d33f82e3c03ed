/** Uses the vectors of RFC 8785 about keys, strings and the numbers of `JSON.stringify`. */
import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import * as CanonicalJson from "#domain/CanonicalJson.ts"

const canonical = (text: string) => CanonicalJson.stringify(JSON.parse(text))

const shuffled = (value: CanonicalJson.Json): CanonicalJson.Json => {
  if (value === null || typeof value !== "object") return value
  if (CanonicalJson.isList(value)) return value.map(shuffled)
  return Object.fromEntries(
    Object.entries(value)
      .toReversed()
      .map(([key, member]) => [key, shuffled(member)])
  )
}
const json = fc.jsonValue().map((value): CanonicalJson.Json => JSON.parse(JSON.stringify(value)))

/** Written member by member, as RFC 8785 describes. */
const reference = (value: CanonicalJson.Json): string => {
  if (value === null || typeof value !== "object") return JSON.stringify(value)
  if (CanonicalJson.isList(value)) return `[${value.map(reference).join(",")}]`
  const members = Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1))
  return `{${members.map(([key, member]) => `${JSON.stringify(key)}:${reference(member)}`).join(",")}}`
}

/** Keys that an object cannot store in order, or at all when they are assigned. */
const awkwardKey = fc.constantFrom(
  "10",
  "9",
  "0",
  "-1",
  "1e3",
  "__proto__",
  "toJSON",
  "",
  "a",
  "é",
  "\u{1f600}"
)

const awkward = fc.letrec<{ value: CanonicalJson.Json }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    fc.string(),
    fc.integer(),
    fc.array(tie("value"), { maxLength: 3 }),
    fc
      .array(fc.tuple(awkwardKey, tie("value")), { maxLength: 5 })
      .map((members) => Object.fromEntries(members))
  )
})).value

describe("Canonical JSON", () => {
  it("keeps all keys", () => {
    fc.assert(
      fc.property(fc.oneof(json, awkward), (value) =>
        assert.strictEqual(CanonicalJson.stringify(value), reference(value))
      ),
      { numRuns: 2_000 }
    )
  })

  it("matches the examples of RFC 8785, sections 3.2.2 and 3.2.3", () => {
    const input = String.raw`{
      "numbers": [333333333.33333329, 1E30, 4.50, 2e-3, 0.000000000000000000000000001],
      "string": "\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"\/",
      "literals": [null, true, false]
    }`
    assert.strictEqual(
      canonical(input),
      String.raw`{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],` +
        String.raw`"string":"€$\u000f\nA'B\"\\\\\"/"}`
    )
  })

  it("writes the numbers of RFC 8785, appendix B", () => {
    for (const [text, expected] of [
      ["-0", "0"],
      ["0.0", "0"],
      ["5e-324", "5e-324"],
      ["-5e-324", "-5e-324"],
      ["1.7976931348623157e308", "1.7976931348623157e+308"],
      ["9007199254740992", "9007199254740992"],
      ["295147905179352830000", "295147905179352830000"],
      ["9.999999999999997e22", "9.999999999999997e+22"],
      ["1e23", "1e+23"],
      ["1.0000000000000001e23", "1.0000000000000001e+23"],
      ["999999999999999700000", "999999999999999700000"],
      ["1e21", "1e+21"],
      ["9.999999999999997e-7", "9.999999999999997e-7"],
      ["0.000001", "0.000001"],
      ["333333333.3333332", "333333333.3333332"],
      ["-0.0000033333333333333333", "-0.0000033333333333333333"],
      ["1424953923781206.2", "1424953923781206.2"]
    ] as const) {
      assert.strictEqual(canonical(text), expected)
    }
  })

  it("sorts keys by UTF-16 code units (RFC 8785, section 3.2.3)", () => {
    const input = String.raw`{
      "\u20ac": "Euro Sign", "\r": "Carriage Return", "\ufb33": "Hebrew Letter Dalet With Dagesh",
      "1": "One", "\ud83d\ude00": "Emoji: Grinning Face", "\u0080": "Control", "\u00f6": "Latin Small Letter O With Diaeresis"
    }`
    assert.deepStrictEqual(
      [...canonical(input).matchAll(/:"([^"]+)"/g)].map(([, name]) => name),
      [
        "Carriage Return",
        "One",
        "Control",
        "Latin Small Letter O With Diaeresis",
        "Euro Sign",
        "Emoji: Grinning Face",
        "Hebrew Letter Dalet With Dagesh"
      ]
    )
  })

  it("keeps keys that are special in JavaScript", () => {
    const text = '{"__proto__":{"a":1},"constructor":2,"hasOwnProperty":3,"toString":4}'
    assert.strictEqual(canonical(text), text)
  })

  it("sorts keys that look like numbers as text", () => {
    assert.strictEqual(canonical('{"2":0,"10":0,"1":0}'), '{"1":0,"10":0,"2":0}')
  })

  it("keeps lone surrogates as escapes, so that the text is valid UTF-8", () => {
    assert.strictEqual(canonical(String.raw`["\ud83d"]`), String.raw`["\ud83d"]`)
  })

  it("is equal for equal values, whatever the order of their keys", () => {
    fc.assert(
      fc.property(json, (value) =>
        assert.strictEqual(CanonicalJson.stringify(shuffled(value)), CanonicalJson.stringify(value))
      )
    )
  })

  it("parses to the same value", () => {
    fc.assert(
      fc.property(json, (value) => assert.deepStrictEqual(JSON.parse(CanonicalJson.stringify(value)), value))
    )
  })
})

describe("stringifyWith", () => {
  it("writes the same text as stringify", () => {
    const value = { b: { d: 1, c: [2] }, a: null, input: { z: 1, "10": "é" }, output: [1, { y: 2 }] }
    const { input, output, ...rest } = value
    const texts = { input: CanonicalJson.stringify(input), output: CanonicalJson.stringify(output) }
    assert.strictEqual(CanonicalJson.stringifyWith(rest, texts), CanonicalJson.stringify(value))
    assert.strictEqual(CanonicalJson.stringifyWith({}, {}), "{}")
  })
})
