import { assert, describe, it } from "@effect/vitest"
import { Option } from "effect"
import * as fc from "fast-check"
import * as ByteSize from "#src/kernel/settings/ByteSize.ts"

describe("A size", () => {
  it.each([
    ["0B", 0],
    ["1 b", 1],
    ["1KB", 1_000],
    ["1kB", 1_000],
    ["1kib", 1_024],
    ["20MB", 20_000_000],
    ["20MiB", 20_971_520],
    ["100GB", 100_000_000_000],
    ["100GiB", 107_374_182_400],
    ["100 GIB", 107_374_182_400],
    ["1.5TB", 1_500_000_000_000],
    ["4096TiB", 2 ** 52],
    ["0.0001KiB", 0],
    ["9007199254740991B", Number.MAX_SAFE_INTEGER]
  ])("%s is %d bytes", (text, bytes) => {
    assert.deepStrictEqual(ByteSize.parse(text), Option.some(bytes))
  })

  it.each([
    "",
    "B",
    "1",
    "-1B",
    "+1B",
    "1e3B",
    "1,5GB",
    ".5GB",
    "1.GB",
    "1iB",
    "1GBit",
    "1PB",
    " 1GB",
    "1GB ",
    "1  GB",
    "1\nGB",
    "0x1GB",
    "1GB1",
    "9007199254740992B",
    "9000TiB",
    "none"
  ])("%j is rejected", (text) => {
    assert.deepStrictEqual(ByteSize.parse(text), Option.none())
  })

  it.each([
    [0, "0 B"],
    [1, "1 B"],
    [1_000, "1 KB"],
    [1_024, "1 KiB"],
    [1_025, "1025 B"],
    [1.5 * 1024 ** 4, "1536 GiB"],
    [2 ** 52, "4096 TiB"],
    [5_000_000_000, "5 GB"],
    [1_024_000, "1000 KiB"]
  ])("of %d bytes is written as %s", (bytes, text) => {
    assert.strictEqual(ByteSize.format(bytes), text)
  })

  it("survives formatting and parsing", () => {
    const bytes = fc.oneof(
      fc.nat(Number.MAX_SAFE_INTEGER),
      fc
        .tuple(fc.nat(8_000), fc.constantFrom(1024, 1000), fc.nat(4))
        .map(([n, base, power]) => n * base ** power)
    )
    fc.assert(
      fc.property(bytes, (bytes) => {
        assert.deepStrictEqual(ByteSize.parse(ByteSize.format(bytes)), Option.some(bytes))
      })
    )
  })
})
