/** Median, minimum and maximum over several cycles. */
export interface Spread {
  readonly median: number
  readonly min: number
  readonly max: number
}

/** Requires at least one value. */
export const spread = (values: ReadonlyArray<number>): Spread => {
  const sorted = values.toSorted((a, b) => a - b)
  const upper = sorted[Math.floor(sorted.length / 2)] ?? Number.NaN
  const lower = sorted[Math.ceil(sorted.length / 2) - 1] ?? Number.NaN
  return {
    median: (lower + upper) / 2,
    min: sorted[0] ?? Number.NaN,
    max: sorted.at(-1) ?? Number.NaN
  }
}
