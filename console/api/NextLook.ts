/**
 * When to read again what changes at known times, but of which no stream tells: deliveries, at their next attempt and while one is
 * under way. The looks after such a time come at growing distances, so that a receiver that answers at once is seen at once, and a
 * slow one costs few reads.
 */
import { useEffect } from "react"

/** Distances of looks, ms. An attempt takes 15 s at most. */
const least = 500
const most = 10_000

/** Timers of browsers end at 24 days, and the clock of the browser may be wrong, ms. */
const longestWait = 3_600_000

/**
 * ms from `now`; `null`: nothing changes by itself any more.
 *
 * @param times when changes are due, or since when they have been. Unix time in ms, like `now`.
 */
export const after = (times: ReadonlyArray<number>, now: number): number | null => {
  if (times.length === 0) return null
  const ago = now - Math.min(...times)
  return ago < 0 ? Math.min(least - ago, longestWait) : Math.min(Math.max(ago / 2, least), most)
}

/**
 * Looks again as long as changes are due, also if a look fails.
 *
 * @param timesAt the times as of `now`. Both functions stay the same while what they look at does.
 */
export const useNextLook = (timesAt: (now: number) => ReadonlyArray<number>, look: () => void): void =>
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined
    const plan = () => {
      const now = Date.now()
      const wait = after(timesAt(now), now)
      if (wait === null) return
      timer = setTimeout(() => {
        look()
        plan()
      }, wait)
    }
    plan()
    return () => clearTimeout(timer)
  }, [timesAt, look])
