/** How a file is split into parts (contract, "Limits"). */
import * as FileLimits from "#src/features/media/storage/FileLimits.ts"
import * as Bytes from "./Bytes.ts"

export interface PlannedPart {
  /** From 1. */
  readonly partNumber: number
  /** First byte in the file. */
  readonly start: number
  /** Bytes. */
  readonly length: number
}

/** Default part size, bytes. */
const usualPartSize = 16 * Bytes.MiB

/** Largest file for a single PUT by default, bytes. */
const usualSingle = 64 * Bytes.MiB

/** Whether the file is sent in one PUT. `partSize`: the requested size of parts, `null` for the default. */
export const isSingle = (size: number, partSize: number | null): boolean => size <= (partSize ?? usualSingle)

/** The requested size, or the smallest larger one in whole MiB with which the file stays within the limit of parts. */
export const partSize = (size: number, requested: number | null): number => {
  const least = Math.ceil(size / FileLimits.maxParts / Bytes.MiB) * Bytes.MiB
  return Math.max(requested ?? usualPartSize, FileLimits.minPartBytes, least)
}

export const parts = (size: number, partSize: number): ReadonlyArray<PlannedPart> =>
  Array.from({ length: Math.ceil(size / partSize) }, (_, index) => ({
    partNumber: index + 1,
    start: index * partSize,
    length: Math.min(partSize, size - index * partSize)
  }))
