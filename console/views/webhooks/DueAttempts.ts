/** When deliveries change by themselves: at their next attempt, and while one is under way. */

export interface Due {
  readonly status: string
  readonly nextAttemptAt: string | null
  readonly updatedAt: string
}

/** Unix times in ms, like `now`. */
export const timesOf = (deliveries: ReadonlyArray<Due>, now: number): ReadonlyArray<number> =>
  deliveries.flatMap(({ nextAttemptAt, status, updatedAt }) => {
    // The attempt has begun, although the clocks of browser and server may differ.
    if (status === "delivering") return [Math.min(now, Date.parse(updatedAt))]
    return nextAttemptAt === null ? [] : [Date.parse(nextAttemptAt)]
  })
