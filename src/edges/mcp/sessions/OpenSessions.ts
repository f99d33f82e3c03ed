/** The sessions in the runtime's memory, in the order of their last use. */
import type { AccountId } from "#domain/Ids.ts"
import type { Owner } from "./StoredSessions.ts"

export interface OpenSession extends Owner {
  readonly hash: string
  /** The runtime's name of the session. */
  readonly inner: string
  /** Calls in progress. A session stays while there are any. */
  calls: number
  /** Time of the last call, or else of the opening, Unix time in ms. */
  usedAt: number
  /** Time of the last stored call; `null` without one. */
  storedCallAt: number | null
}

export interface Most {
  readonly ofAccount: number
  readonly inAll: number
}

export interface OpenSessions {
  readonly find: (hash: string) => OpenSession | undefined
  readonly use: (session: OpenSession, now: number) => void
  readonly add: (session: OpenSession) => void
  readonly remove: (hash: string) => OpenSession | undefined
  /** Removes and returns sessions that were not used since then and have no call in progress. */
  readonly takeIdle: (usedBefore: number) => ReadonlyArray<OpenSession>
  /** Removes and returns surplus sessions, first of the account: the least recently used without a call in progress. */
  readonly takeSurplus: (accountId: AccountId, most: Most) => ReadonlyArray<OpenSession>
  readonly size: () => number
}

type ByHash = Map<string, OpenSession>

export const make = (): OpenSessions => {
  const all: ByHash = new Map()
  const byAccount = new Map<AccountId, ByHash>()

  const add = (session: OpenSession) => {
    const own: ByHash = byAccount.get(session.accountId) ?? new Map()
    byAccount.set(session.accountId, own.set(session.hash, session))
    all.set(session.hash, session)
  }

  const remove = (hash: string) => {
    const found = all.get(hash)
    if (found === undefined) return undefined
    all.delete(hash)
    const own = byAccount.get(found.accountId)
    own?.delete(hash)
    if (own?.size === 0) byAccount.delete(found.accountId)
    return found
  }

  const takeWhile = (sessions: ByHash, isTaken: (session: OpenSession) => boolean) => {
    const taken: Array<OpenSession> = []
    for (const session of sessions.values()) {
      if (!isTaken(session)) break
      if (session.calls > 0) continue
      remove(session.hash)
      taken.push(session)
    }
    return taken
  }

  return {
    find: (hash) => all.get(hash),
    use: (session, now) => {
      remove(session.hash)
      add(session)
      session.usedAt = now
    },
    add,
    remove,
    takeIdle: (usedBefore) => takeWhile(all, ({ usedAt }) => usedAt < usedBefore),
    takeSurplus: (accountId, { inAll, ofAccount }) => {
      const own: ByHash = byAccount.get(accountId) ?? new Map()
      return [...takeWhile(own, () => own.size > ofAccount), ...takeWhile(all, () => all.size > inAll)]
    },
    size: () => all.size
  }
}
