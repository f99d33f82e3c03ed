/** Says above all views that the server cannot be reached, or that another release of the console is served. */
import { onlineManager } from "@tanstack/react-query"
import { useEffect, useRef, useSyncExternalStore } from "react"
import { Button } from "#console/design/actions/Button.tsx"
import { Notice } from "#console/design/feedback/Notice.tsx"
import * as Release from "./Release.ts"

const isOnline = () => onlineManager.isOnline()
const subscribe = (listener: () => void) => onlineManager.subscribe(listener)

export const Banner = () => {
  const online = useSyncExternalStore(subscribe, isOnline)
  const isNewer = useSyncExternalStore(Release.subscribe, Release.isNewer)
  const wasAway = useRef(false)
  useEffect(() => {
    // A server that was away may have come back as another release.
    if (online && wasAway.current) Release.look()
    wasAway.current = !online
  }, [online])
  if (!online) {
    return (
      <Notice kind="warning" title={navigator.onLine ? "The server cannot be reached" : "You are offline"}>
        What you see may be out of date. It goes on by itself when the connection is back.
      </Notice>
    )
  }
  if (!isNewer) return null
  return (
    <Notice
      kind="info"
      title="A new release of the console is served"
      action={<Button onPress={() => location.reload()}>Reload</Button>}
    >
      Save what you are writing first.
    </Notice>
  )
}
