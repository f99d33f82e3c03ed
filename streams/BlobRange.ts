import { Effect } from "effect"
import { BlobStoreError } from "./BlobStore.ts"

export interface BlobRange {
  /** First byte. */
  readonly start: number
  /** Number of bytes. */
  readonly length: number
}

const isCount = (value: number): boolean => Number.isSafeInteger(value) && value >= 0

/** The part of a range inside a blob of `size` bytes, possibly empty. Without a range, the whole blob. */
export const within = (
  size: number,
  range: BlobRange | undefined
): Effect.Effect<BlobRange, BlobStoreError> => {
  if (range === undefined) return Effect.succeed({ start: 0, length: size })
  if (!isCount(range.start) || !isCount(range.length)) {
    return Effect.fail(
      new BlobStoreError({ reason: "expected a range of whole, non-negative numbers of bytes" })
    )
  }
  const start = Math.min(range.start, size)
  return Effect.succeed({ start, length: Math.min(range.length, size - start) })
}
