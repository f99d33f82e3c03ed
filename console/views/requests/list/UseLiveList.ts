/**
 * Keeps the list alive by the account's event stream. Rows in the list change in place; new requests are counted, and join the
 * list at once only while its top is in sight.
 */
import { useCallback, useEffect, useRef, useState } from "react"
import { pathOf } from "#console/api/Client.ts"
import { useEvents } from "#console/api/Events.ts"
import type { Filter, Status } from "./Filter.ts"
import { statuses } from "./Filter.ts"
import { newerCount, type useRequestPages } from "./UseRequestPages.ts"

/** How often the list is read again at most while events arrive, ms. */
const pauseMs = 1_000

/** How long events are collected before rows change, ms: a busy account has hundreds in a second. */
const frameMs = 100

interface StatusEvent {
  readonly id: string
  readonly status: Status
}

const statusOf = (data: unknown): StatusEvent | null => {
  if (typeof data !== "object" || data === null) return null
  const { request_id: id, status }: { request_id?: unknown; status?: unknown } = data
  const known = statuses.find((word) => word === status)
  return typeof id === "string" && known !== undefined ? { id, status: known } : null
}

export const useLiveList = (
  filter: Filter,
  pages: ReturnType<typeof useRequestPages>,
  /** Whether the list is scrolled to its top, with no row chosen below. */
  isAtTop: boolean
) => {
  const [newer, setNewer] = useState(0)
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  const reading = useRef<AbortController>(undefined)
  const changing = useRef<ReturnType<typeof setTimeout>>(undefined)
  const changes = useRef(new Map<string, Status>())
  const latest = useRef({ filter, pages, isAtTop })
  useEffect(() => {
    latest.current = { filter, pages, isAtTop }
  })

  const show = useCallback(async () => {
    await latest.current.pages.renew()
    setNewer(0)
  }, [])

  const look = useCallback(async () => {
    timer.current = undefined
    const { filter, isAtTop, pages } = latest.current
    reading.current = new AbortController()
    if (isAtTop) return show()
    void pages.reread()
    // Nothing is shown when it cannot be counted: the next event counts anew.
    const count = await newerCount(filter, pages.newest, reading.current.signal).catch(() => null)
    if (count !== null) setNewer(count)
  }, [show])

  useEffect(
    () => () => {
      clearTimeout(timer.current)
      clearTimeout(changing.current)
      reading.current?.abort()
    },
    []
  )

  const soon = useCallback(() => {
    timer.current ??= setTimeout(() => void look(), pauseMs)
  }, [look])
  const changeRows = () => {
    changing.current = undefined
    latest.current.pages.change(changes.current)
    changes.current = new Map()
  }
  const { modelEndpoint } = filter
  const path = pathOf("streamRequests", { query: modelEndpoint === undefined ? {} : { modelEndpoint } })
  const connection = useEvents(path, ["status"], ({ data }) => {
    const event = statusOf(data)
    if (event === null) return
    changes.current.set(event.id, event.status)
    changing.current ??= setTimeout(changeRows, frameMs)
    soon()
  })
  // What ended while the connection was closed is not sent again unless an event came before.
  const wasOpen = useRef(false)
  useEffect(() => {
    if (connection !== "open") return
    if (wasOpen.current) soon()
    wasOpen.current = true
  }, [connection, soon])
  return { connection, newer, show }
}
