/** A small histogram of waits, which the ones of several nodes add up to. A bucket's upper bound is 41 % above its lower one. */

/** Counts by bucket, without the empty ones at the end. */
export type Buckets = ReadonlyArray<number>

/** Buckets of an octave. */
const perOctave = 2

/** Up to 2^27 ms, which is a day and a half; longer waits count as that. */
const octaves = 27
const most = octaves * perOctave

export const make = (): Array<number> => Array.from({ length: most + 1 }, () => 0)

const bucketOf = (ms: number): number =>
  ms < 1 ? 0 : Math.min(Math.floor(Math.log2(ms) * perOctave) + 1, most)

/** Bounds in ms. */
const lowerOf = (bucket: number): number => (bucket === 0 ? 0 : 2 ** ((bucket - 1) / perOctave))
const upperOf = (bucket: number): number => 2 ** (bucket / perOctave)

export const note = (buckets: Array<number>, ms: number): void => {
  const bucket = bucketOf(ms)
  buckets[bucket] = (buckets[bucket] ?? 0) + 1
}

export const trimmed = (buckets: ReadonlyArray<number>): Buckets =>
  buckets.slice(0, buckets.findLastIndex((count) => count > 0) + 1)

export const add = (a: Buckets, b: Buckets): Buckets =>
  Array.from({ length: Math.max(a.length, b.length) }, (_, index) => (a[index] ?? 0) + (b[index] ?? 0))

/** The wait that `share` of all waits do not exceed, ms, at most 41 % off; `null` without any. */
export const quantile = (buckets: Buckets, share: number): number | null => {
  const total = buckets.reduce((sum, count) => sum + count, 0)
  if (total === 0) return null
  let left = total * share
  for (const [bucket, count] of buckets.entries()) {
    if (count > 0 && left <= count) {
      const [lower, upper] = [lowerOf(bucket), upperOf(bucket)]
      return lower + ((upper - lower) * left) / count
    }
    left -= count
  }
  return upperOf(buckets.length - 1)
}
