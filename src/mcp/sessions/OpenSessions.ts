/** The sessions that the runtime has in memory, in the order of their last use. */
import type { Owner } from "./StoredSessions.ts"

export interface OpenSession extends Owner {
  readonly hash: string
  /** As the runtime names it. */
  readonly inner: string
  /** Calls under way: it stays as long as there are any. */
  calls: number
  /** Of its last call, Unix time in ms; and as it is stored. */
  usedAt: number
  storedUsedAt: number
}

export interface OpenSessions {
  readonly find: (hash: string) => OpenSession | undefined
  readonly use: (session: OpenSession, now: number) => void
  readonly add: (session: OpenSession) => void
  readonly remove: (hash: string) => OpenSession | undefined
  /** Takes out those that were not used since then, and the least lately used beyond `most`; none with a call under way. */
  readonly takeIdle: (usedBefore: number, most: number) => ReadonlyArray<OpenSession>
  readonly size: () => number
}

export const make = (): OpenSessions => {
  const byHash = new Map<string, OpenSession>()
  return {
    find: (hash) => byHash.get(hash),
    use: (session, now) => {
      byHash.delete(session.hash)
      byHash.set(session.hash, session)
      session.usedAt = now
    },
    add: (session) => void byHash.set(session.hash, session),
    remove: (hash) => {
      const found = byHash.get(hash)
      byHash.delete(hash)
      return found
    },
    takeIdle: (usedBefore, most) => {
      const taken: Array<OpenSession> = []
      for (const session of byHash.values()) {
        if (session.usedAt >= usedBefore && byHash.size <= most) break
        if (session.calls > 0) continue
        byHash.delete(session.hash)
        taken.push(session)
      }
      return taken
    },
    size: () => byHash.size
  }
}
