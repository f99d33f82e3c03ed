import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import type { Json, JsonObject } from "#domain/CanonicalJson.ts"
import * as GrowingJson from "#src/kernel/text/GrowingJson.ts"

const rules: GrowingJson.Rules = { joins: (member) => member !== "name", repeatsLists: false }

const sum = (parts: ReadonlyArray<JsonObject>, change: Partial<GrowingJson.Rules> = {}): JsonObject => {
  const growing = GrowingJson.make({ ...rules, ...change })
  parts.forEach((part) => growing.add(part))
  return growing.json()
}

describe("GrowingJson", () => {
  const sums: ReadonlyArray<readonly [string, ReadonlyArray<JsonObject>, JsonObject]> = [
    ["texts join", [{ text: "Hel" }, { text: "" }, { text: "lo" }], { text: "Hello" }],
    ["names are told again", [{ name: "a" }, { name: "a" }, { name: "" }, { name: "b" }], { name: "b" }],
    [
      "the last scalar wins",
      [
        { count: 1, done: false },
        { count: 2, done: true }
      ],
      { count: 2, done: true }
    ],
    ["null takes nothing away", [{ a: null }, { a: "x" }, { a: null }], { a: "x" }],
    [
      "objects grow",
      [{ audio: { id: 1, data: "AA" } }, { audio: { data: "BB" } }],
      { audio: { id: 1, data: "AABB" } }
    ],
    ["lists append", [{ list: [] }, { list: [1] }, { list: [] }, { list: [1, 2] }], { list: [1, 1, 2] }],
    [
      "items of an index grow together",
      [
        { list: [{ index: 0, name: "a", text: "x" }] },
        {
          list: [
            { index: 1, text: "z" },
            { index: 0, name: "a", text: "y" }
          ]
        }
      ],
      {
        list: [
          { index: 0, name: "a", text: "xy" },
          { index: 1, text: "z" }
        ]
      }
    ],
    [
      "texts beside lists are parts of them",
      [{ content: "a" }, { content: [{ type: "image" }] }, { content: "b" }, { content: "c" }],
      { content: [{ type: "text", text: "a" }, { type: "image" }, { type: "text", text: "bc" }] }
    ],
    ["other kinds replace", [{ a: { b: 1 } }, { a: 2 }, { a: { c: 3 } }], { a: { c: 3 } }],
    [
      "members keep their order",
      [
        { b: 1, a: 1 },
        { c: 1, b: 2 }
      ],
      { b: 2, a: 1, c: 1 }
    ]
  ]
  for (const [what, parts, expected] of sums) {
    it(`adds up parts: ${what}`, () => {
      assert.strictEqual(JSON.stringify(sum(parts)), JSON.stringify(expected))
    })
  }

  it("takes a list that is told again as a whole once, where lists may be", () => {
    const parts = [{ urls: ["a"] }, { urls: ["a"] }, { urls: ["a", "b"] }, { urls: ["c"] }]
    assert.deepStrictEqual(sum(parts, { repeatsLists: true }), { urls: ["a", "b", "c"] })
  })

  it("returns one part as it is, whatever its members are called", () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (part) => {
        const given = JSON.parse(JSON.stringify(part)) as JsonObject
        assert.strictEqual(JSON.stringify(sum([given])), JSON.stringify(given))
      })
    )
    const odd = JSON.parse('{"__proto__":{"a":"x"},"constructor":"y"}') as JsonObject
    assert.strictEqual(JSON.stringify(sum([odd, odd])), '{"__proto__":{"a":"xx"},"constructor":"yy"}')
  })

  it("leaves out members on request", () => {
    const growing = GrowingJson.make(rules)
    growing.add({ a: "x", b: "y" }, new Set(["b"]))
    assert.deepStrictEqual(growing.json(), { a: "x" })
    assert.isUndefined(growing.get("b"))
  })

  it("leaves the parts as they were", () => {
    const part = (text: string): JsonObject => ({ a: { text }, list: [{ index: 0, text }] })
    const parts = [part("x"), part("y")]
    sum(parts)
    assert.deepStrictEqual<ReadonlyArray<Json>>(parts, [part("x"), part("y")])
  })
})
