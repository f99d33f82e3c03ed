import { assert, describe, it } from "@effect/vitest"
import { Array, Result } from "effect"
import * as fc from "fast-check"
import { maxParts, minPartBytes } from "#src/features/media/storage/FileLimits.ts"
import * as PartsCheck from "#src/features/files/PartsCheck.ts"
import type { Part, UploadedPart } from "#src/platform/blobs/Part.ts"

const part = (partNumber: number, size = minPartBytes): UploadedPart => ({
  partNumber,
  etag: `etag-${partNumber}`,
  size
})

const uploaded = [part(1), part(2), part(3, 1)]
const sizeOfAll = 2 * minPartBytes + 1

const refused = (named: Array.NonEmptyReadonlyArray<Part>, came = uploaded, size: number | null = null) => {
  const checked = PartsCheck.check(named, came, size)
  assert.isTrue(Result.isFailure(checked), "expected a refusal")
  return Result.isFailure(checked) ? [checked.failure.reason, checked.failure.partNumbers] : []
}

const [first, second, third] = uploaded as [UploadedPart, UploadedPart, UploadedPart]

describe("PartsCheck", () => {
  it("accepts parts in any order", () => {
    const checked = PartsCheck.check([third, first, second], uploaded, sizeOfAll)
    assert.deepStrictEqual(Result.getOrThrow(checked), [first, second, third])
  })

  it("uses the sizes of uploaded parts, not the given ones", () => {
    const lying = { partNumber: 1, etag: first.etag, size: 1 }
    assert.deepStrictEqual([...Result.getOrThrow(PartsCheck.check([lying], [first], null))], [first])
  })

  it("names missing parts, given or omitted", () => {
    assert.deepStrictEqual(refused([first, second, third, part(4), part(6)]), ["missing", [4, 5, 6]])
    assert.deepStrictEqual(refused([first, third]), ["missing", [2]])
    assert.deepStrictEqual(refused([first], []), ["missing", [1]])
    assert.deepStrictEqual(refused([part(maxParts)], []), ["missing", Array.range(1, maxParts)])
  })

  it("names uploaded parts that would be omitted", () => {
    assert.deepStrictEqual(refused([first]), ["not_named", [2, 3]])
  })

  it("names parts with another ETag than uploaded", () => {
    const others = Array.map(uploaded, (one) => ({ ...one, etag: "other" }))
    assert.deepStrictEqual(refused(others as unknown as Array.NonEmptyReadonlyArray<Part>), [
      "etag_mismatch",
      [1, 2, 3]
    ])
    assert.deepStrictEqual(refused([first, { ...second, etag: second.etag.toUpperCase() }, third]), [
      "etag_mismatch",
      [2]
    ])
  })

  it("names parts before the last that are smaller than 5 MiB", () => {
    const came = [part(1, minPartBytes - 1), part(2), part(3, 0), part(4, 1)] as const
    assert.deepStrictEqual(refused([...came], [...came]), ["too_small", [1, 3]])
    assert.isTrue(Result.isSuccess(PartsCheck.check([part(1, 0)], [part(1, 0)], null)))
  })

  it("requires the declared number of bytes", () => {
    assert.deepStrictEqual(refused([first, second, third], uploaded, sizeOfAll - 1), [
      "wrong_size",
      [1, 2, 3]
    ])
  })

  it("accepts exactly the uploaded parts, in every order", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 40 }), fc.func(fc.nat()), (count, weight) => {
        const came = Array.range(1, count).map((number) => part(number))
        const [head, ...tail] = [...came].sort((a, b) => weight(a.partNumber) - weight(b.partNumber))
        if (head === undefined) return assert.fail("there is a part")
        const size = count * minPartBytes
        assert.deepStrictEqual([...Result.getOrThrow(PartsCheck.check([head, ...tail], came, size))], came)
      })
    )
  })
})
