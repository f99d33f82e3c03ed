/**
 * Notices that the session has ended, or that another tab has signed in or out: all tabs share the cookies. What one holder
 * has seen is not for the next one, so the page begins anew when the holder has changed.
 */
import { onSessionEnded } from "#console/api/Client.ts"
import { queryClient } from "#console/api/Queries.ts"
import { onSessionChangedElsewhere, type Session, sessionQuery } from "#console/api/Session.ts"

const holdersOf = (session: Session | undefined): string =>
  `${session?.account?.accountId ?? ""} ${session?.operator?.id ?? ""}`

/** @param refresh reads the session into the views, for the same holder with other rights. */
export const watch = (refresh: () => Promise<void>): void => {
  const look = async () => {
    const before = holdersOf(queryClient.getQueryData(sessionQuery.queryKey))
    const now = await queryClient.fetchQuery({ ...sessionQuery, staleTime: 0 })
    if (holdersOf(now) === before) await refresh()
    // The guards of the routes lead to the sign-in.
    else location.reload()
  }
  // A server that does not answer is noticed elsewhere.
  const lookAnyway = () => void look().catch(() => {})
  onSessionEnded(lookAnyway)
  onSessionChangedElsewhere(lookAnyway)
}
