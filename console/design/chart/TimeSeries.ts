/** What a chart over time draws. */

export interface Series {
  readonly id: string
  readonly label: string
  /** One for each time; `null`: not known, or none. They only place the marks. */
  readonly values: ReadonlyArray<number | null>
}

export interface TimeData {
  /** Unix time in ms, ascending: where buckets begin, or when values were read. */
  readonly times: ReadonlyArray<number>
  /** At most six are told apart by their colours. */
  readonly series: ReadonlyArray<Series>
}

type TimeZoneOf = "reader" | "utc"

export interface TimeForm {
  readonly kind: "bars" | "lines"
  readonly isStacked: boolean
  /** `utc` for buckets that begin at midnight UTC. */
  readonly zone: TimeZoneOf
  /** A value of the axis, short. */
  readonly axisText: (value: number) => string
}

/** The number of colours (`--series-1` and on). */
export const mostSeries = 6

export const colourOf = (index: number): number => (index % mostSeries) + 1

/** Sums from the first series on, so that each is drawn on those before it. */
export const stacked = ({ series, times }: TimeData): ReadonlyArray<ReadonlyArray<number>> => {
  const sums = times.map(() => 0)
  return series.map(({ values }) =>
    values.map((value, index) => {
      sums[index] = (sums[index] ?? 0) + (value ?? 0)
      return sums[index] ?? 0
    })
  )
}

/** The least distance of two times, ms; a day for fewer than two. */
export const stepOf = (times: ReadonlyArray<number>): number => {
  let least = Infinity
  for (let index = 1; index < times.length; index++)
    least = Math.min(least, (times[index] ?? 0) - (times[index - 1] ?? 0))
  return Number.isFinite(least) ? least : 86_400_000
}
