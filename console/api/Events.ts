/**
 * Server-sent events of the account or of administration, as hooks. It reconnects, and resumes by the last id. Browsers open at
 * most six connections to a server for all tabs together, so a page that is out of sight gives its own back.
 */
import { useEffect, useRef, useState } from "react"
import * as JsonText from "#domain/JsonText.ts"
import { consolePath, sessionEnded } from "./Client.ts"

export interface ServerEvent {
  /** `message` for an event without a name. */
  readonly type: string
  readonly id: string
  /** Parsed JSON. */
  readonly data: unknown
}

export type Connection = "connecting" | "open" | "closed"

const firstPauseMs = 1_000
const longestPauseMs = 30_000

/** How long a page is out of sight before its streams are closed, ms. */
const hiddenMs = 10_000

const wait = (ms: number, signal: AbortSignal) =>
  new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, ms)
    signal.addEventListener("abort", () => {
      clearTimeout(timer)
      resolve()
    })
  })

/** A new connection cannot send the header `Last-Event-ID`, so the query has it. */
const resumed = (path: string, lastId: string): string =>
  lastId === ""
    ? consolePath + path
    : `${consolePath}${path}${path.includes("?") ? "&" : "?"}last_event_id=${encodeURIComponent(lastId)}`

/** Whether the stream is over or refused for good, rather than for now (429, 503 and other failures of the server). */
const hasEnded = async (url: string, signal: AbortSignal): Promise<boolean> => {
  const asking = new AbortController()
  signal.addEventListener("abort", () => asking.abort())
  const response = await fetch(url, {
    headers: { accept: "text/event-stream" },
    signal: asking.signal
  }).catch(() => null)
  asking.abort()
  if (response === null) return false
  if (response.status === 401) sessionEnded()
  return (
    response.status === 204 || (response.status >= 400 && response.status < 500 && response.status !== 429)
  )
}

interface Following {
  /** Below the console, as `pathOf` makes it. */
  readonly path: string
  /** Names of the events; `message` are those without a name. */
  readonly types: ReadonlyArray<string>
  readonly onEvent: (event: ServerEvent) => void
  readonly onConnection: (connection: Connection) => void
}

/** Follows a stream until the returned function is called. */
export const follow = ({ onConnection, onEvent, path, types }: Following): (() => void) => {
  const ending = new AbortController()
  const { signal } = ending
  let lastId = ""
  let pause = firstPauseMs
  let current: EventSource | null = null
  let hiding: ReturnType<typeof setTimeout> | undefined
  const open = () => {
    const source = new EventSource(resumed(path, lastId))
    current = source
    onConnection("connecting")
    source.addEventListener("open", () => {
      pause = firstPauseMs
      onConnection("open")
    })
    // Without an answer the browser tries again; after a refusal, or at the end of the stream (204), it does not.
    source.addEventListener("error", () => {
      onConnection("connecting")
      if (source.readyState === EventSource.CLOSED) void tryAgain()
    })
    for (const type of types) {
      source.addEventListener(type, (event: MessageEvent<string>) => {
        lastId = event.lastEventId
        onEvent({ type, id: event.lastEventId, data: JsonText.parse(event.data) })
      })
    }
  }
  const tryAgain = async () => {
    await wait(pause, signal)
    pause = Math.min(longestPauseMs, pause * 2)
    const isOver = !signal.aborted && (await hasEnded(resumed(path, lastId), signal))
    if (signal.aborted) return
    if (isOver) onConnection("closed")
    else open()
  }
  const onVisibility = () => {
    clearTimeout(hiding)
    if (document.hidden) {
      hiding = setTimeout(() => {
        if (current?.readyState !== EventSource.OPEN) return
        current.close()
        current = null
        onConnection("connecting")
      }, hiddenMs)
    } else if (current === null) open()
  }
  open()
  document.addEventListener("visibilitychange", onVisibility)
  return () => {
    document.removeEventListener("visibilitychange", onVisibility)
    clearTimeout(hiding)
    current?.close()
    ending.abort()
  }
}

/**
 * Follows a stream while the view is shown.
 *
 * @param path below the console, as `pathOf` makes it; `null`: none.
 * @param types names of the events; `message` are those without a name.
 * @param onEvent called for each event. It may change with each rendering.
 */
export const useEvents = (
  path: string | null,
  types: ReadonlyArray<string>,
  onEvent: (event: ServerEvent) => void
): Connection => {
  const [connection, onConnection] = useState<Connection>("connecting")
  const latest = useRef(onEvent)
  useEffect(() => {
    latest.current = onEvent
  })
  const names = types.join(" ")
  useEffect(() => {
    if (path === null) return
    return follow({
      path,
      types: names.split(" "),
      onEvent: (event) => latest.current(event),
      onConnection
    })
  }, [path, names])
  return connection
}
