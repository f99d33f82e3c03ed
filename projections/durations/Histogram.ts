/** Durations in buckets that are 7 % wide each: what is read from them is off by no more than that. Values in, values out. */

/** From one bucket's lower bound to the next one's. */
export const width = 1.07

const longestMs = 24 * 60 * 60 * 1_000

/** What is shorter counts as 1 ms, what is longer as a day. */
export const bucketOf = (ms: number): number =>
  Math.floor(Math.log(Math.min(Math.max(ms, 1), longestMs)) / Math.log(width))

/** No duration in the bucket is longer, ms: it is never less than the exact one, and at most 7 % more. */
export const upperBound = (bucket: number): number => width ** (bucket + 1)
