/**
 * When to read a timeline again after the end of its request. No stream tells of deliveries, but their times are known: the
 * next attempt, and the start of one that is under way. The looks after such a time come at growing distances, so that a
 * receiver that answers at once is seen at once, and a slow one costs few reads.
 */
import { type Entry, timeOf } from "../timeline/Entry.ts"

/** Distances of looks, ms. */
const least = 500
const most = 60_000

/** How long after the end of a request its delivery may be scheduled, ms. */
const schedulingMs = 60_000

/** Since when an attempt has been due or under way, or from when on one will be, Unix time in ms. */
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
 * ms from `now` (Unix time in ms); `null`: nothing happens by itself any more.
 *
 * @param entries of a request that has ended, with their states.
 */
export const of = (entries: ReadonlyArray<Entry>, now: number): number | null => {
  const times = [...attemptsOf(entries), ...unscheduled(entries, now)]
  if (times.length === 0) return null
  const ago = now - Math.min(...times)
  return ago < 0 ? Math.min(least - ago, most) : Math.min(Math.max(ago, least), most)
}
