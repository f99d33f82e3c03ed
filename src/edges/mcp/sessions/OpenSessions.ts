/** The sessions that the runtime has in memory, in the order of their last use. */
import type { AccountId } from "#domain/Ids.ts"
import type { Owner } from "./StoredSessions.ts"

export interface OpenSession extends Owner {
  readonly hash: string
  /** As the runtime names it. */
  readonly inner: string
  /** Calls under way: it stays as long as there are any. */
  calls: number
  /** Of its last call, or else of its opening, Unix time in ms. */
  usedAt: number
  /** Of the last call that is stored; `null` while there was none. */
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
  /** Takes out those that were not used since then; none with a call under way. */
  readonly takeIdle: (usedBefore: number) => ReadonlyArray<OpenSession>
  /** Takes out what is too many, first of the account, then of all: the least lately used, none with a call under way. */
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
