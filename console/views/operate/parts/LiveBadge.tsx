/** Whether a view is up to date. A stream that only reconnects, as it does every two minutes, says nothing. */
import { useEffect, useState } from "react"
import type { Connection } from "#console/api/Events.ts"
import { Badge } from "#console/design/feedback/Badge.tsx"

/** How long a reconnection may take before it is shown, ms. */
const patienceMs = 4_000

export const LiveBadge = ({ connection }: { readonly connection: Connection }) => {
  const [isLate, setLate] = useState(false)
  useEffect(() => {
    if (connection === "open") return setLate(false)
    const timer = setTimeout(() => setLate(true), patienceMs)
    return () => clearTimeout(timer)
  }, [connection])
  if (connection === "closed") return <Badge kind="warning">Not live: reload to go on</Badge>
  return isLate ? <Badge kind="warning">Reconnecting</Badge> : <Badge kind="good">Live</Badge>
}
