/** Server-sent events of the account or of administration, as hooks. The browser reconnects, and resumes by the last id. */
import { useEffect, useRef, useState } from "react"
import { consolePath } from "./Client.ts"

export interface ServerEvent {
  /** `message` for an event without a name. */
  readonly type: string
  readonly id: string
  /** Parsed JSON. */
  readonly data: unknown
}

export type Connection = "connecting" | "open" | "closed"

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
  const [connection, setConnection] = useState<Connection>("connecting")
  const latest = useRef(onEvent)
  useEffect(() => {
    latest.current = onEvent
  })
  const names = types.join(" ")
  useEffect(() => {
    if (path === null) return
    const source = new EventSource(consolePath + path)
    setConnection("connecting")
    source.addEventListener("open", () => setConnection("open"))
    // Without an answer the browser tries again; after a refusal, or at the end of the stream (204), it does not.
    source.addEventListener("error", () =>
      setConnection(source.readyState === EventSource.CLOSED ? "closed" : "connecting")
    )
    for (const type of names.split(" ")) {
      source.addEventListener(type, (event: MessageEvent<string>) =>
        latest.current({ type, id: event.lastEventId, data: JSON.parse(event.data) })
      )
    }
    return () => source.close()
  }, [path, names])
  return connection
}
