import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import * as v8 from "node:v8"
import * as vm from "node:vm"
import * as Bytes from "#src/kernel/text/Bytes.ts"

describe("Bytes", () => {
  it("are the concatenated chunks, of any sizes", () => {
    const sizes = fc.array(fc.oneof(fc.nat(3), fc.integer({ min: 4_000, max: 4_200 }), fc.nat(40_000)), {
      maxLength: 40
    })
    fc.assert(
      fc.property(sizes, (sizes) => {
        let next = 0
        const chunks = sizes.map((size) => Buffer.from(Array.from({ length: size }, () => next++ % 251)))
        const bytes = Bytes.make()
        for (const chunk of chunks) bytes.add(chunk)
        assert.strictEqual(bytes.size(), next)
        assert.isTrue(Buffer.concat(chunks).equals(bytes.whole()))
      }),
      { numRuns: 50 }
    )
  })

  it("are the single chunk itself", () => {
    const chunk = Buffer.from("body")
    const bytes = Bytes.make()
    bytes.add(chunk)
    assert.strictEqual(bytes.whole(), chunk)
  })

  it("of very many chunks use little more memory than themselves", () => {
    const bytes = Bytes.make()
    const before = used()
    for (let index = 0; index < 300_000; index++) bytes.add(Buffer.allocUnsafe(1))
    assert.isBelow(used() - before, 5_000_000)
    assert.strictEqual(bytes.whole().length, 300_000)
  })
})

v8.setFlagsFromString("--expose-gc")
const collectGarbage: unknown = vm.runInNewContext("gc")

/** Used memory, bytes. */
const used = (): number => {
  if (typeof collectGarbage === "function") collectGarbage()
  const { arrayBuffers, heapUsed } = process.memoryUsage()
  return heapUsed + arrayBuffers
}
