/** When a request changes by itself after its end: its deliveries go on. */
import { type Entry, timeOf } from "../timeline/Entry.ts"

/** How long after the end of a request its delivery may be scheduled, ms. */
const schedulingMs = 60_000

/** Since when an attempt has been due or under way, or from when on one will be. */
const attemptsOf = (entries: ReadonlyArray<Entry>): ReadonlyArray<number> =>
  (entries.at(-1)?.state?.deliveries ?? []).flatMap(({ deliveryId, nextAttemptAt, status }) => {
    if (nextAttemptAt !== null) return [Date.parse(nextAttemptAt)]
    const last = entries.findLast(({ data }) => data["deliveryId"] === deliveryId)
    return status === "delivering" && last !== undefined ? [timeOf(last)] : []
  })

/** The time of the end, while a webhook for it is not scheduled yet; otherwise empty. */
const unscheduled = (entries: ReadonlyArray<Entry>, now: number): ReadonlyArray<number> => {
  const webhook = entries[0]?.data["webhook"]
  const end = entries.find(({ state }) => state?.phase === "ended")
  const isScheduled = entries.some(
    ({ data, type }) => type === "DeliveryScheduled" && data["event"] === "completed"
  )
  if (typeof webhook !== "object" || webhook === null || end === undefined || isScheduled) return []
  return now - timeOf(end) < schedulingMs ? [timeOf(end)] : []
}

/**
 * Unix times in ms, like `now`.
 *
 * @param entries of a request that has ended, with their states.
 */
export const timesOf = (entries: ReadonlyArray<Entry>, now: number): ReadonlyArray<number> => [
  ...attemptsOf(entries),
  ...unscheduled(entries, now)
]
