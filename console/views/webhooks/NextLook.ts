/** When deliveries are read again, because they change without an event of their request. */

export interface Shown {
  readonly status: string
  readonly nextAttemptAt: string | null
  readonly updatedAt: string
}

/** Longer waits are left to the next look: timers of browsers end at 24 days. */
const longestWaitMs = 3_600_000

/** Of a change that is late. The pauses grow with the delay, so that a receiver that never answers costs few reads. */
const longestPauseMs = 30_000
const shareOfDelay = 1 / 4

/** While an attempt is under way, which is 15 s at most, whatever the clocks say. */
const longestPauseUnderWayMs = 3_000

/** @param due Unix time in ms, like `now`. */
const waitFor = (due: number, now: number): number =>
  due > now ? due - now : Math.min(longestPauseMs, (now - due) * shareOfDelay)

/** When one of these may change by itself, ms from `now`; `null`: none within an hour. */
export const of = (deliveries: ReadonlyArray<Shown>, now: number): number | null => {
  const waits = deliveries.flatMap(({ nextAttemptAt, status, updatedAt }) => {
    // The attempt has begun, although the clocks of browser and server may differ.
    if (status === "delivering")
      return [Math.min(longestPauseUnderWayMs, waitFor(Math.min(now, Date.parse(updatedAt)), now))]
    return nextAttemptAt === null ? [] : [waitFor(Date.parse(nextAttemptAt), now)]
  })
  const least = Math.min(...waits)
  return least > longestWaitMs ? null : least
}
