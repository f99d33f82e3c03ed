/** The time, again and again while something lasts. */
import { useEffect, useState } from "react"

const tickMs = 500

/** Unix time in ms. */
export const useNow = (isLive: boolean): number => {
  const [now, setNow] = useState(() => Date.now())
  useEffect(() => {
    if (!isLive) return
    const timer = setInterval(() => setNow(Date.now()), tickMs)
    return () => clearInterval(timer)
  }, [isLive])
  return now
}
