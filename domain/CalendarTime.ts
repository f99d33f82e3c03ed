/**
 * Hours, days and months in UTC. Usage is summed by them, and budgets count by month. Times are Unix times in ms, so every
 * hour and every day has the same length.
 */
import { Schema } from "effect"

export const Granularity = Schema.Literals(["hour", "day", "month"])
export type Granularity = typeof Granularity.Type

const hour = 3_600_000
export const day = 24 * hour

const monthsOn = (at: number, months: number): number => {
  const date = new Date(at)
  // `Date.UTC` reads the years 0 to 99 as 1900 to 1999.
  return new Date(0).setUTCFullYear(date.getUTCFullYear(), date.getUTCMonth() + months, 1)
}

/** The start of the hour, day or month that contains `at`. */
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

/** The end of the hour, day or month that contains `at`: the start of the next one. */
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
