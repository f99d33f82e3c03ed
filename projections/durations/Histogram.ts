/** Durations in buckets that are 7 % wide each: what is read from them is off by no more than that. Values in, values out. */

/** From one bucket's lower bound to the next one's. */
export const width = 1.07

const longestMs = 24 * 60 * 60 * 1_000

/** What is shorter counts as 1 ms, what is longer as a day. */
export const bucketOf = (ms: number): number =>
  Math.floor(Math.log(Math.min(Math.max(ms, 1), longestMs)) / Math.log(width))

/** No duration in the bucket is longer, ms. */
const upperBound = (bucket: number): number => width ** (bucket + 1)

export interface Bucket {
  readonly bucket: number
  readonly runs: number
}

export const countOf = (buckets: ReadonlyArray<Bucket>): number =>
  buckets.reduce((sum, { runs }) => sum + runs, 0)

/** So many of the runs took no longer, ms: never less than the exact quantile, and at most 7 % more. Of at least one run. */
export const quantile = (buckets: ReadonlyArray<Bucket>, share: number): number => {
  const rank = Math.ceil(countOf(buckets) * share)
  let seen = 0
  const found = buckets
    .toSorted((a, b) => a.bucket - b.bucket)
    .find(({ runs }) => {
      seen += runs
      return seen >= rank
    })
  return upperBound(found?.bucket ?? 0)
}
