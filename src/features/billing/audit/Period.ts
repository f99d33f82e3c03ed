/** The period whose entries are shown. The proof does not depend on it. */

/** Unix time in ms; `from` is included, `to` is not. */
export interface Period {
  /** `null`: from the beginning of the log. */
  readonly from: number | null
  /** `null`: to its end. */
  readonly to: number | null
}

export const isBefore = ({ from }: Period, time: number): boolean => from !== null && time < from
export const isAfter = ({ to }: Period, time: number): boolean => to !== null && time >= to
export const isWithin = (period: Period, time: number): boolean =>
  !isBefore(period, time) && !isAfter(period, time)

/**
 * Whether all events are before the period or within it. `null` when they may be on both sides of its limits.
 *
 * @param latest Time of the latest event, Unix time in ms; `null` without events, which counts as before the period.
 */
export const placeOf = (period: Period, latest: number | null): "before" | "within" | null => {
  if (latest === null) return "before"
  if (period.from !== null) return isBefore(period, latest) ? "before" : null
  return isAfter(period, latest) ? null : "within"
}

const isoTime = /^(\d{4}-\d{2}-\d{2})(?:T(\d{2}:\d{2}(?::\d{2}(?:\.\d{1,3})?)?)(Z|[+-]\d{2}:\d{2})?)?$/

/** Unix time in ms of an ISO 8601 date or date-time, UTC without a zone; `null` if malformed. */
export const parseTime = (text: string): number | null => {
  const [, date, time = "00:00", zone = "Z"] = isoTime.exec(text) ?? []
  if (date === undefined) return null
  const midnight = Date.parse(`${date}T00:00:00Z`)
  // The parser accepts 31 February as a day in March.
  if (Number.isNaN(midnight) || new Date(midnight).toISOString().slice(0, 10) !== date) return null
  const millis = Date.parse(`${date}T${time}${zone}`)
  return Number.isNaN(millis) ? null : millis
}
