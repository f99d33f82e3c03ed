import { assert, describe, it } from "@effect/vitest"
import { isObject, type Json, type JsonObject } from "#domain/CanonicalJson.ts"
import * as JsonText from "#domain/JsonText.ts"

const object = (text: string): JsonObject => {
  const value = JsonText.parse(text)
  return isObject(value) ? value : assert.fail("no object")
}

/** What `JSON.stringify` would write in another way. */
const awkward = [
  '{"zebra":1,"apple":2,"10":3,"9":4}',
  '{"seed":18446744073709551615,"id":9007199254740993}',
  "[1.10,-0.0,1e2,1E+2,0.1000000000000000000001]",
  '{"caf\\u00e9":"\\ud83d\\ude00 \\/ \\u0041"}',
  '{ "a" : [ 1 , { } ] ,\r\n\t"b":\n"x" }',
  '{"__proto__":{"a":1},"a":"\\"\\\\"}'
]

describe("A parsed value", () => {
  it.each(awkward)("is written as it came: %s", (text) => {
    assert.strictEqual(JsonText.write(JsonText.parse(text)), text)
  })

  it.each(awkward)("is written as it came within another value: %s", (text) => {
    assert.strictEqual(
      JsonText.write({ id: "x", parts: [JsonText.parse(text), null], absent: 1 }),
      `{"id":"x","parts":[${text},null],"absent":1}`
    )
  })

  it.each(awkward)("has members and items with their own text: %s", (text) => {
    const outer = JsonText.parse(`{"a":{"b":${text},"c":"}"}}`)
    assert.strictEqual(JsonText.write(JsonText.memberAt(outer, "a", "b") ?? null), text)
    const list = JsonText.parse(`[ 1, ${text} ,"]"]`)
    assert.strictEqual(Array.isArray(list) ? JsonText.write(JsonText.items(list)[1] ?? null) : "", text)
  })

  it("is an ordinary value", () => {
    for (const text of awkward) assert.deepStrictEqual(JsonText.parse(text), JSON.parse(text))
  })

  it("is written on one line without its line ends", () => {
    assert.strictEqual(JsonText.writeLine(JsonText.parse('{\r\n"a":"\\n",\n"b":1}')), '{"a":"\\n","b":1}')
  })

  it("is written by JSON.stringify when it was not parsed", () => {
    const value: Json = { b: [1, { a: null }], a: "é" }
    assert.strictEqual(JsonText.write(value), JSON.stringify(value))
  })

  it("has the last of several members with one name", () => {
    const value = JsonText.parse('{"a":{"b":1},"a":{"b":2.0}}')
    assert.strictEqual(JsonText.write(JsonText.member(value, "a") ?? null), '{"b":2.0}')
  })
})

describe("An edited object", () => {
  const source = '{ "model":"x", "seed":18446744073709551615,"stream" :true, "messages":[ 1.10 ]}'

  it("keeps the text of what is left", () => {
    const edited = JsonText.edit(object(source), { omit: ["model", "stream"] })
    assert.strictEqual(JsonText.write(edited), '{"seed":18446744073709551615,"messages":[ 1.10 ]}')
    assert.deepStrictEqual(edited, { seed: Number("18446744073709551615"), messages: [1.1] })
  })

  it("has set members in the place of the old ones, or at the end", () => {
    const edited = JsonText.edit(object(source), { omit: ["stream"], set: { model: "m", n: 2 } })
    assert.strictEqual(
      JsonText.write(edited),
      '{"model":"m","seed":18446744073709551615,"messages":[ 1.10 ],"n":2}'
    )
    assert.deepStrictEqual(Object.keys(edited).sort(), ["messages", "model", "n", "seed"])
  })

  it("is the same object when nothing changes", () => {
    const value = object(source)
    assert.strictEqual(JsonText.edit(value, { omit: ["absent"] }), value)
  })
})

describe("A repeated name", () => {
  it.each([
    ['{"a":1,"a":2}', ["a"]],
    ['{"a":[{},{"b":1,"\\u0062":2}]}', ["a", 1, "b"]],
    ['{"a":{"a":1},"b":["a","a"]}', null],
    ["[]", null]
  ])("is found in %s", (text, path) => {
    assert.deepStrictEqual(JsonText.repeatedName(text), path)
  })
})

describe("Integers past 2^53", () => {
  it("are found with their places, and other numbers are not", () => {
    const value = JsonText.parse(
      '{"a":[9007199254740991,-9007199254740992],"b":{"c":18446744073709551615},"d":1e300,"e":"18446744073709551615"}'
    )
    assert.deepStrictEqual(JsonText.longIntegers(value), [
      { path: ["a", 1], text: "-9007199254740992" },
      { path: ["b", "c"], text: "18446744073709551615" }
    ])
  })

  it("are changed by what returns them as numbers or in texts", () => {
    const integers = JsonText.longIntegers(JsonText.parse('{"seed":18446744073709551615}'))
    const rounded = Number("18446744073709551615")
    assert.deepStrictEqual(JsonText.changedIn(integers, { a: [rounded] }), integers)
    assert.deepStrictEqual(JsonText.changedIn(integers, { a: `seed ${rounded}` }), integers)
    assert.deepStrictEqual(JsonText.changedIn(integers, { a: "seed", b: 1 }), [])
  })
})

describe("Restored digits", () => {
  it("are those of the parts that a value was composed of", () => {
    const integers = JsonText.longIntegers(JsonText.parse('{"id":18446744073709551615}'))
    const composed = { list: [{ id: Number("18446744073709551615"), n: 1 }], text: "18446744073709551615" }
    assert.strictEqual(
      JsonText.write(JsonText.restore(composed, integers)),
      '{"list":[{"id":18446744073709551615,"n":1}],"text":"18446744073709551615"}'
    )
  })
})

describe("Entries", () => {
  it("are in the order of the text, with the texts of scalars", () => {
    const value = JsonText.parse('{"b":1.10,"10":"x","a":{"c":[18446744073709551615,{}]}}')
    assert.deepStrictEqual(
      JsonText.entries(Object(value)).map(({ name, scalar }) => [name, scalar]),
      [
        ["b", "1.10"],
        ["10", '"x"'],
        ["a", null]
      ]
    )
    assert.deepStrictEqual(JsonText.entries({ b: 1, a: [] }), [
      { name: "b", value: 1, scalar: null },
      { name: "a", value: [], scalar: null }
    ])
  })

  it("are on lines of their own in an indented text", () => {
    const text = '{"b":1.10,"10":"x","a":{"c":[18446744073709551615,{}]},"d":[]}'
    const lines = JsonText.indented(JsonText.parse(text))
    assert.strictEqual(
      lines,
      '{\n  "b": 1.10,\n  "10": "x",\n  "a": {\n    "c": [\n      18446744073709551615,\n      {}\n    ]\n  },\n  "d": []\n}'
    )
    for (const value of [{ b: 1, a: [true, null, "é"] }, [], "x", 1, null])
      assert.strictEqual(JsonText.indented(value), JSON.stringify(value, null, 2))
  })
})

describe("The text of a member that is no object and no list", () => {
  it("is as it was parsed", () => {
    const value = JsonText.parse(
      '{ "a" : 1.10 , "b":"caf\\u00e9", "c":null, "d":{}, "a":18446744073709551615}'
    )
    assert.deepStrictEqual(
      ["a", "b", "c", "d", "e"].map((name) => JsonText.spelledMember(value, name)?.scalar),
      ["18446744073709551615", '"caf\\u00e9"', "null", null, undefined]
    )
    assert.deepStrictEqual(JsonText.spelledMember({ a: 1 }, "a"), { value: 1, scalar: null })
  })
})

describe("An object and a list of values with texts", () => {
  it("remember them, and the last member of a name counts", () => {
    const [number, text] = ["18446744073709551615", "1.10"].map((text) =>
      JsonText.spelled(JsonText.parse(text), text)
    )
    const object = JsonText.spelled(JsonText.parse('{ "b":1.0}'), '{ "b":1.0}')
    const known = [number, object, text].filter((one) => one !== undefined)
    assert.strictEqual(JsonText.write(JsonText.listOf(known)), '[18446744073709551615,{ "b":1.0},1.10]')
    const members = known.map((one, index) => ({ ...one, name: index === 0 ? "1" : "a" }))
    assert.strictEqual(JsonText.write(JsonText.objectOf(members)), '{"1":18446744073709551615,"a":1.10}')
  })
})

describe("Content", () => {
  it("is equal whatever the order, blanks and escapes", () => {
    const contents = ['{"a":"é","b":[1,2]}', '{ "b":[1.0, 2],\n"a":"\\u00e9" }'].map((text) =>
      JsonText.content(JsonText.parse(text))
    )
    assert.strictEqual(contents[0], contents[1])
  })

  it("differs by digits that a double does not hold", () => {
    const of = (text: string) => JsonText.content(JsonText.parse(text))
    assert.notStrictEqual(of('{"a":9007199254740993}'), of('{"a":9007199254740992}'))
  })
})

describe("Replaced scalars", () => {
  it("change nothing else", () => {
    const value = JsonText.parse('{ "z":[{"url":"data:,x","n":1.10}], "a/b":"y", "c":18446744073709551615 }')
    const replaced = JsonText.replaceScalars(
      value,
      new Map([
        ["/z/0/url", "https://x"],
        ["/a~1b", "w"]
      ])
    )
    assert.strictEqual(
      JsonText.write(replaced),
      '{ "z":[{"url":"https://x","n":1.10}], "a/b":"w", "c":18446744073709551615 }'
    )
  })
})
