import { assert, describe, it } from "@effect/vitest"
import type { Json } from "#domain/CanonicalJson.ts"
import * as JsonPointer from "#src/features/catalog/models/JsonPointer.ts"

/** RFC 6901, section 5. */
const document: Json = {
  foo: ["bar", "baz"],
  "": 0,
  "a/b": 1,
  "c%d": 2,
  "e^f": 3,
  "g|h": 4,
  "i\\j": 5,
  'k"l': 6,
  " ": 7,
  "m~n": 8
}

const hostile: Json = JSON.parse('{"__proto__":{"url":"a"},"constructor":[null]}')

describe("JsonPointer.at", () => {
  it.each<readonly [string, Json]>([
    ["", document],
    ["/foo", ["bar", "baz"]],
    ["/foo/0", "bar"],
    ["/", 0],
    ["/a~1b", 1],
    ["/c%d", 2],
    ["/e^f", 3],
    ["/g|h", 4],
    ["/i\\j", 5],
    ['/k"l', 6],
    ["/ ", 7],
    ["/m~0n", 8]
  ])("finds the value at %j", (pointer, expected) => {
    assert.deepStrictEqual(JsonPointer.at(document, pointer), expected)
  })

  it.each([
    "foo",
    "/foo/2",
    "/foo/-",
    "/foo/01",
    "/foo/-1",
    "/foo/length",
    "/foo/0/0",
    "/none",
    "/m~2n",
    "/toString"
  ])("finds nothing at %j, and replaces nothing there", (pointer) => {
    assert.isUndefined(JsonPointer.at(document, pointer))
    assert.strictEqual(JsonPointer.replaceAt(document, pointer, "x"), document)
  })
})

describe("JsonPointer.replaceAt", () => {
  it("replaces one value without changing the input", () => {
    const given: Json = { images: [{ url: "a" }, { url: "b" }], "x/y": { "~": 1 } }
    assert.deepStrictEqual(JsonPointer.replaceAt(given, "/images/1/url", "c"), {
      images: [{ url: "a" }, { url: "c" }],
      "x/y": { "~": 1 }
    })
    assert.deepStrictEqual(JsonPointer.at(JsonPointer.replaceAt(given, "/x~1y/~0", 2), "/x~1y/~0"), 2)
    assert.deepStrictEqual(given, { images: [{ url: "a" }, { url: "b" }], "x/y": { "~": 1 } })
    assert.strictEqual(JsonPointer.replaceAt(given, "", null), null)
  })

  it("treats `__proto__` as an ordinary name", () => {
    const replaced = JsonPointer.replaceAt(hostile, "/__proto__/url", "b")
    assert.strictEqual(JSON.stringify(replaced), '{"__proto__":{"url":"b"},"constructor":[null]}')
    assert.strictEqual(JsonPointer.at(replaced, "/constructor/0"), null)
    assert.isUndefined(JsonPointer.at({}, "/__proto__"))
    assert.isUndefined(Reflect.get({}, "url"))
  })
})
