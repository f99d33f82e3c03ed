import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import * as JsonBytes from "#src/kernel/text/JsonBytes.ts"
import * as JsonScan from "#src/kernel/text/JsonScan.ts"

const bytesOf = (text: string) => Buffer.from(text)

const list = (count: number, item: (index: number) => string) =>
  `[${Array.from({ length: count }, (_, index) => item(index)).join(",")}]`

const weightOf = (text: string) =>
  JsonScan.scan(bytesOf(text), { maxDepth: 1_000, maxWeight: Infinity }).weight

/** Bytes of heap per item with `JSON.parse` of Node 24. */
const measured: ReadonlyArray<readonly [string, number, (index: number) => string]> = [
  ["empty arrays", 40, () => "[]"],
  ["arrays in arrays", 112, () => "[[]]"],
  ["empty objects", 56, () => "{}"],
  ["objects of one shape", 40, () => '{"a":1}'],
  ["objects of a shape each", 210, (index) => `{"${index.toString(36)}x":1}`],
  ["objects of two names, one of them its own", 370, (index) => `{"x${index}":1,"a":1}`],
  ["objects with an index for a name", 206, () => '{"900":1}'],
  ["numbers", 24, (index) => `${index}.5`],
  ["short texts", 32, (index) => `"${index}"`]
]

describe("JsonScan", () => {
  it.each(measured)("estimates %s at no less than their size", (_, bytes, item) => {
    const count = 20_000
    assert.isAtLeast(weightOf(list(count, item)), count * bytes)
  })

  it("treats names in another order as another shape", () => {
    const same = list(2_000, () => '{"a":1,"b":1,"c":1}')
    const orders = ["a", "b", "c"].flatMap((a) => ["a", "b", "c"].map((b) => [a, b, "d"]))
    const others = list(2_000, (index) => {
      const names = [...(orders[index % orders.length] ?? []), `z${index}`]
      return `{${names.map((name) => `"${name}":1`).join(",")}}`
    })
    assert.isAbove(weightOf(others), 2 * weightOf(same))
  })

  it("counts nothing inside a string", () => {
    assert.strictEqual(weightOf(JSON.stringify('[{,1"[\\'.repeat(10_000))), weightOf('""'))
  })

  it("stops at the limit", () => {
    const { weight } = JsonScan.scan(bytesOf(list(1_000_000, () => "[]")), {
      maxDepth: 10,
      maxWeight: 10_000
    })
    assert.isBelow(weight, 11_000)
  })
})

describe("JsonBytes", () => {
  it("accepts a text of 10 MiB and 500,000 numbers", () => {
    const long = JSON.stringify({ value: "A".repeat(10 * 1024 * 1024) })
    const embedding = JSON.stringify({ value: Array.from({ length: 500_000 }, (_, index) => index / 7) })
    for (const text of [long, embedding]) assert.isTrue(Result.isSuccess(JsonBytes.parse(bytesOf(text))))
  })

  it("rejects millions of small values unparsed, valid or not", () => {
    const nested = list(41_000, () => "[".repeat(120) + "]".repeat(120))
    for (const text of [nested, list(3_300_000, () => "{}"), nested.slice(1)]) {
      assert.deepStrictEqual(JsonBytes.parse(bytesOf(text)), Result.fail("too_many_values" as const))
    }
  })
})
