/** A histogram of durations with buckets 7 % wide, which limits its error to 7 %. */

/** The ratio of the lower bounds of neighbouring buckets. */
export const width = 1.07

const maxMs = 24 * 60 * 60 * 1_000

/** Shorter durations count as 1 ms, longer ones as a day. */
export const bucketOf = (ms: number): number =>
  Math.floor(Math.log(Math.min(Math.max(ms, 1), maxMs)) / Math.log(width))

/** The upper bound of the bucket, ms: never below an exact duration in it, and at most 7 % above. */
export const upperBound = (bucket: number): number => width ** (bucket + 1)
