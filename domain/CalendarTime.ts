/**
 * Hours, days and months of UTC: what usage is summed by, and the months of budgets. All times are Unix time in ms, so that
 * an hour and a day are always of one length.
 */
import { Schema } from "effect"

export const Granularity = Schema.Literals(["hour", "day", "month"])
export type Granularity = typeof Granularity.Type

const hour = 3_600_000
export const day = 24 * hour

const monthsOn = (at: number, months: number): number => {
  const date = new Date(at)
  // `Date.UTC` takes the years 0 to 99 for 1900 to 1999.
  return new Date(0).setUTCFullYear(date.getUTCFullYear(), date.getUTCMonth() + months, 1)
}

/** When the hour, day or month began that `at` is in. */
export const startOf = (granularity: Granularity, at: number): number => {
  switch (granularity) {
    case "hour":
      return Math.floor(at / hour) * hour
    case "day":
      return Math.floor(at / day) * day
    case "month":
      return monthsOn(at, 0)
  }
}

/** When the one behind it begins. */
export const endOf = (granularity: Granularity, at: number): number => {
  switch (granularity) {
    case "hour":
      return startOf(granularity, at) + hour
    case "day":
      return startOf(granularity, at) + day
    case "month":
      return monthsOn(at, 1)
  }
}
