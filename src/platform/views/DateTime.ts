/** Times in answers: ISO 8601 in UTC, with milliseconds. */
import { Schema } from "effect"

export const DateTime = Schema.String.annotate({ format: "date-time" })

/** @param millis Unix time in ms. */
export const format = (millis: number): string => new Date(millis).toISOString()

export const formatNullable = (millis: number | null): string | null =>
  millis === null ? null : format(millis)
