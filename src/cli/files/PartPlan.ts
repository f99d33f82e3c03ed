/** How a file is cut into parts (contract, "Limits"). */
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

/** Of files that are uploaded in parts when nobody says how large these are to be. Bytes. */
const usualPartSize = 16 * Bytes.MiB

/** Bytes of a file that goes in one PUT, when nobody says how large parts are to be. */
const usualSingle = 64 * Bytes.MiB

/** Whether the file goes in one PUT; `partSize` is what was asked for, `null` for nothing. */
export const isSingle = (size: number, partSize: number | null): boolean => size <= (partSize ?? usualSingle)

/** What was asked for, or as much more, in whole MiB, as it takes for the file to have no more parts than it may. */
export const partSize = (size: number, asked: number | null): number => {
  const least = Math.ceil(size / FileLimits.maxParts / Bytes.MiB) * Bytes.MiB
  return Math.max(asked ?? usualPartSize, FileLimits.minPartBytes, least)
}

export const parts = (size: number, partSize: number): ReadonlyArray<PlannedPart> =>
  Array.from({ length: Math.ceil(size / partSize) }, (_, index) => ({
    partNumber: index + 1,
    start: index * partSize,
    length: Math.min(partSize, size - index * partSize)
  }))
