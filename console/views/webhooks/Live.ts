/** Reads deliveries again when something may have happened to them: a request has changed, or the time of an attempt has come. */
import { useQueryClient } from "@tanstack/react-query"
import { useCallback, useEffect, useRef } from "react"
import { pathOf } from "#console/api/Client.ts"
import { useEvents } from "#console/api/Events.ts"
import { keyOf } from "#console/api/Queries.ts"

interface Shown {
  readonly status: string
  readonly nextAttemptAt: string | null
}

/** At most one read in this time, ms. The receiver's answer to a delivery mostly comes sooner. */
const pauseMs = 1_000

/** Longer waits are left to the next look: timers of browsers end at 24 days. */
const longestWaitMs = 3_600_000

/** When one of these may change without another event, ms from now; `null`: not by itself. */
const changesIn = (deliveries: ReadonlyArray<Shown>): number | null => {
  const waits = deliveries.flatMap(({ nextAttemptAt, status }) => {
    if (status === "delivering") return [0]
    return nextAttemptAt === null ? [] : [Math.max(0, Date.parse(nextAttemptAt) - Date.now())]
  })
  const least = Math.min(...waits)
  return least > longestWaitMs ? null : least
}

export const useLiveDeliveries = (deliveries: ReadonlyArray<Shown>): void => {
  const client = useQueryClient()
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  const readAgain = useCallback(() => {
    timer.current ??= setTimeout(() => {
      timer.current = undefined
      for (const name of ["listDeliveries", "getDelivery"] as const)
        void client.invalidateQueries({ queryKey: keyOf(name) })
    }, pauseMs)
  }, [client])
  useEffect(() => () => clearTimeout(timer.current), [])
  useEvents(pathOf("streamRequests"), ["status"], readAgain)
  useEffect(() => {
    const wait = changesIn(deliveries)
    if (wait === null) return
    const due = setTimeout(readAgain, wait)
    return () => clearTimeout(due)
  }, [deliveries, readAgain])
}
