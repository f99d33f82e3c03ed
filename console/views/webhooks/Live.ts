/** Reads deliveries again when something may have happened to them: a request has changed, or the time of an attempt has come. */
import { useQueryClient } from "@tanstack/react-query"
import { useCallback, useEffect, useRef } from "react"
import { pathOf } from "#console/api/Client.ts"
import { useEvents } from "#console/api/Events.ts"
import { useNextLook } from "#console/api/NextLook.ts"
import { keyOf } from "#console/api/Queries.ts"
import { type Due, timesOf } from "./DueAttempts.ts"

/** At most one read in this time, ms. The receiver's answer to a delivery mostly comes sooner. */
const pauseMs = 1_000

/** @param deliveries the same array as long as they have not changed. */
export const useLiveDeliveries = (deliveries: ReadonlyArray<Due>): void => {
  const client = useQueryClient()
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  const readAgain = useCallback(() => {
    timer.current ??= setTimeout(() => {
      timer.current = undefined
      for (const name of ["listDeliveries", "getDelivery"] as const)
        void client.invalidateQueries({ queryKey: keyOf(name) })
    }, pauseMs)
  }, [client])
  useEffect(
    () => () => {
      clearTimeout(timer.current)
      timer.current = undefined
    },
    []
  )
  useEvents(pathOf("streamRequests"), ["status"], readAgain)
  const timesAt = useCallback((now: number) => timesOf(deliveries, now), [deliveries])
  useNextLook(timesAt, readAgain)
}
