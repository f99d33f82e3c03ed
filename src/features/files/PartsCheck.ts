/** Checks that the named parts have arrived and make a file (contract, "Limits"; decisions, "Upload errors"). */
import { Array, Order, Result } from "effect"
import * as FileLimits from "#src/features/media/storage/FileLimits.ts"
import type { Part, UploadedPart } from "#src/platform/blobs/Part.ts"
import { PartsRefused } from "#src/features/media/storage/UploadStore.ts"

export type Parts = Array.NonEmptyReadonlyArray<UploadedPart>

const byNumber = Order.mapInput(Order.Number, ({ partNumber }: Part) => partNumber)

type Check = (
  named: Array.NonEmptyReadonlyArray<Part>,
  uploaded: ReadonlyMap<number, UploadedPart>
) => ReadonlyArray<number>

/** Numbers from 1 without gaps: a missing one would be missing in the file. */
const missing: Check = (named, uploaded) => {
  const numbers = new Set(named.map(({ partNumber }) => partNumber))
  const last = Math.max(...numbers)
  return Array.range(1, last).filter((number) => !numbers.has(number) || !uploaded.has(number))
}

const notNamed: Check = (named, uploaded) => {
  const numbers = new Set(named.map(({ partNumber }) => partNumber))
  return [...uploaded.keys()].filter((number) => !numbers.has(number))
}

const otherEtag: Check = (named, uploaded) =>
  named
    .filter(({ etag, partNumber }) => uploaded.get(partNumber)?.etag !== etag)
    .map(({ partNumber }) => partNumber)

const tooSmall: Check = (named, uploaded) =>
  named
    .slice(0, -1)
    .filter(({ partNumber }) => (uploaded.get(partNumber)?.size ?? 0) < FileLimits.minPartBytes)
    .map(({ partNumber }) => partNumber)

const checks: ReadonlyArray<readonly [PartsRefused["reason"], Check]> = [
  ["missing", missing],
  ["not_named", notNamed],
  ["etag_mismatch", otherEtag],
  ["too_small", tooSmall]
]

/**
 * The parts in ascending order.
 * @param size of all parts, as declared, in bytes; `null` without a declaration.
 */
export const check = (
  named: Array.NonEmptyReadonlyArray<Part>,
  uploaded: ReadonlyArray<UploadedPart>,
  size: number | null
): Result.Result<Parts, PartsRefused> => {
  const sorted = Array.sort(named, byNumber)
  const byPartNumber = new Map(uploaded.map((part) => [part.partNumber, part]))
  for (const [reason, find] of checks) {
    const partNumbers = find(sorted, byPartNumber)
    if (partNumbers.length > 0) return Result.fail(new PartsRefused({ reason, partNumbers }))
  }
  const parts = Array.map(sorted, (part) => byPartNumber.get(part.partNumber) ?? { ...part, size: 0 })
  return size === null || bytesOf(parts) === size
    ? Result.succeed(parts)
    : Result.fail(
        new PartsRefused({ reason: "wrong_size", partNumbers: parts.map(({ partNumber }) => partNumber) })
      )
}

export const bytesOf = (parts: ReadonlyArray<UploadedPart>): number =>
  parts.reduce((sum, { size }) => sum + size, 0)
