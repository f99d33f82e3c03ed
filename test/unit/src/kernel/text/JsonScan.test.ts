import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import * as JsonScan from "#src/kernel/text/JsonScan.ts"

const scan = (json: unknown) =>
  JsonScan.scan(Buffer.from(JSON.stringify(json)), { maxDepth: 128, maxWeight: 16 * 1024 * 1024 })

/** Many characters that hide the end of a string. */
const text = fc.array(fc.constantFrom('"', "\\", "\\\\", 'x"', "a", "[", "{", "é", "0".repeat(300)), {
  minLength: 0,
  maxLength: 900
})

describe("A scan", () => {
  it("finds the end of any string", () => {
    const after = [{ a: [1, "b"] }, [[]]]
    const short = scan(["x", ...after])
    fc.assert(
      fc.property(text, (parts) => {
        assert.deepStrictEqual(scan([parts.join(""), ...after]), short)
      }),
      { numRuns: 2_000 }
    )
  })

  it("finds the end of any name", () => {
    fc.assert(
      fc.property(text, (parts) => {
        const name = `n${parts.join("")}`
        assert.strictEqual(scan([{ [name]: [[1]] }]).weight, scan([{ n: [[1]] }]).weight)
      }),
      { numRuns: 2_000 }
    )
  })

  it("treats names of equal length and beginning as one, if they are long", () => {
    const long = (end: string) =>
      scan(["p".repeat(1_000) + end, "p".repeat(1_000) + "z"].map((name) => ({ [name]: 1 })))
    assert.isBelow(long("a").weight, scan([{ a: 1 }, { b: 1 }]).weight)
    assert.strictEqual(long("aa").weight, scan([{ a: 1 }, { b: 1 }]).weight)
  })
})
