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

type ByHash = Map<string, OpenSession>

export const make = () => {
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
    find: (hash: string) => all.get(hash),
    use: (session: OpenSession, now: number) => {
      remove(session.hash)
      add(session)
      session.usedAt = now
    },
    add,
    remove,
    /** Removes and returns sessions that were not used since then and have no call in progress. */
    takeIdle: (usedBefore: number) => takeWhile(all, ({ usedAt }) => usedAt < usedBefore),
    /** Removes and returns surplus sessions, first of the account: the least recently used without a call in progress. */
    takeSurplus: (accountId: AccountId, { inAll, ofAccount }: Most) => {
      const own: ByHash = byAccount.get(accountId) ?? new Map()
      return [...takeWhile(own, () => own.size > ofAccount), ...takeWhile(all, () => all.size > inAll)]
    },
    size: () => all.size
  }
}
