/** Reads deliveries again when something may have happened to them: a request has changed, or the time of an attempt has come. */
import { useQueryClient } from "@tanstack/react-query"
import { useCallback, useEffect, useRef } from "react"
import { pathOf } from "#console/api/Client.ts"
import { useEvents } from "#console/api/Events.ts"
import { keyOf } from "#console/api/Queries.ts"
import * as NextLook from "./NextLook.ts"

/** At most one read in this time, ms. The receiver's answer to a delivery mostly comes sooner. */
const pauseMs = 1_000

/** @param readAt when they were read, Unix time in ms. Every read counts: a delivery that is still under way is looked at again. */
export const useLiveDeliveries = (deliveries: ReadonlyArray<NextLook.Shown>, readAt: number): void => {
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
  useEffect(() => {
    const wait = NextLook.of(deliveries, Date.now())
    if (wait === null) return
    const due = setTimeout(readAgain, wait)
    return () => clearTimeout(due)
  }, [deliveries, readAt, readAgain])
}
