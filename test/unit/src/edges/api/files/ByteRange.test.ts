import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import * as ByteRange from "#src/edges/api/files/ByteRange.ts"

const whole = { _tag: "Whole" } as const
const unsatisfiable = { _tag: "Unsatisfiable" } as const
const part = (start: number, length: number) => ({ _tag: "Part", start, length }) as const

/** The bytes of one range by RFC 9110, 14.1.2, as positions. */
const model = (first: string, last: string, size: number): ByteRange.ByteRange => {
  const places = Array.from({ length: size }, (_, index) => BigInt(index))
  if (first === "" && last === "") return whole
  if (first !== "" && last !== "" && BigInt(first) > BigInt(last)) return whole
  const kept = places.filter((place) => {
    if (first === "") return place >= BigInt(size) - BigInt(last)
    return place >= BigInt(first) && (last === "" || place <= BigInt(last))
  })
  return kept.length === 0 ? unsatisfiable : part(Number(kept[0]), kept.length)
}

/** Numbers around the size, of any length, with leading zeros, or missing. */
const position = fc.oneof(
  fc.constant(""),
  fc.nat(60).map(String),
  fc.nat(60).map((number) => `000${number}`),
  fc.bigInt({ min: 2n ** 53n - 2n, max: 2n ** 53n + 2n }).map(String),
  fc.bigInt({ min: 0n, max: 10n ** 40n }).map(String),
  fc.constant("9".repeat(500))
)

describe("a range", () => {
  it("follows RFC 9110, for a file of any size", () => {
    fc.assert(
      fc.property(fc.nat(50), position, position, (size, first, last) => {
        assert.deepStrictEqual(ByteRange.parse(`bytes=${first}-${last}`, size), model(first, last, size))
      }),
      { numRuns: 5_000 }
    )
  })

  it("lies within the file for every header", () => {
    fc.assert(
      fc.property(
        fc.nat(Number.MAX_SAFE_INTEGER),
        fc.oneof(fc.string(), fc.stringMatching(/^(bytes|Bytes|lines)?[= ]{0,2}[0-9, -]{0,20}$/)),
        (size, header) => {
          const range = ByteRange.parse(header, size)
          if (range._tag !== "Part") return
          assert.isAtLeast(range.start, 0)
          assert.isAtLeast(range.length, 1)
          assert.isAtMost(range.start + range.length, size)
        }
      ),
      { numRuns: 5_000 }
    )
  })

  it.each([
    undefined,
    "",
    "bytes",
    "bytes=",
    "bytes=-",
    "bytes=--1",
    "bytes=1",
    "bytes=a-b",
    "bytes=0x1-2",
    "bytes=1.0-2",
    "bytes=+1-2",
    "bytes=0 - 1",
    "bytes=0-1,3-4",
    "bytes=0-1;x",
    "lines=0-1",
    "bytes 0-1",
    "bytes=5-4",
    "bytes=9007199254740993-9007199254740992",
    "bytes=٣-٤"
  ])("%s requests the whole", (header) => {
    assert.deepStrictEqual(ByteRange.parse(header, 10), whole)
  })

  it.each([
    ["bytes=0-0", part(0, 1)],
    ["BYTES=9-", part(9, 1)],
    [" bytes=-3 ", part(7, 3)],
    ["bytes=-99999999999999999999", part(0, 10)],
    ["bytes=3-99999999999999999999", part(3, 7)],
    ["bytes=99999999999999999999-", unsatisfiable],
    ["bytes=10-", unsatisfiable],
    ["bytes=-0", unsatisfiable]
  ])("%s of ten bytes", (header, range) => {
    assert.deepStrictEqual(ByteRange.parse(header, 10), range)
  })

  it.each(["bytes=0-", "bytes=0-0", "bytes=-1", "bytes=-0"])(
    "%s cannot be satisfied for an empty file",
    (header) => {
      assert.deepStrictEqual(ByteRange.parse(header, 0), unsatisfiable)
    }
  )
})
