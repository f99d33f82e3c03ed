/** A budget of memory shared by accounts: each may use as much as remains free, so some is always left for the next. */
import { Effect } from "effect"

/** Which limit refused the bytes: the account's share, or the budget of the whole node. */
export type Full = "account" | "node"

export interface Lease {
  readonly bytes: number
  /** Returns the bytes. A second call has no effect. */
  readonly release: () => void
}

export interface MemoryBudget {
  readonly capacity: number
  readonly used: () => number
  /** The first lease of an account needs only free bytes. When nothing is leased, a lease of any size is granted. */
  readonly take: (account: string, bytes: number) => Lease | Full
  /** Waits until `take` succeeds. Waiters are served in order of arrival where their bytes fit. */
  readonly wait: (account: string, bytes: number) => Effect.Effect<Lease>
  /** Calls `listener` after each release. The returned function removes the listener. */
  readonly onRelease: (listener: () => void) => () => void
}

interface Waiter {
  readonly account: string
  readonly bytes: number
  readonly resume: (lease: Lease) => void
}

export const isFull = (taken: Lease | Full): taken is Full => typeof taken === "string"

/** @param capacity bytes. */
export const make = (capacity: number): MemoryBudget => {
  const ofAccount = new Map<string, number>()
  const waiters = new Set<Waiter>()
  const listeners = new Set<() => void>()
  let used = 0

  const fullFor = (account: string, bytes: number): Full | null => {
    if (used === 0) return null
    const own = ofAccount.get(account) ?? 0
    const left = capacity - used - bytes
    if (own > 0 && own + bytes > left) return "account"
    return left < 0 ? "node" : null
  }

  const add = (account: string, bytes: number) => {
    const own = (ofAccount.get(account) ?? 0) + bytes
    used += bytes
    if (own === 0) ofAccount.delete(account)
    else ofAccount.set(account, own)
  }

  const lease = (account: string, bytes: number): Lease => {
    let isLeased = true
    add(account, bytes)
    return {
      bytes,
      release: () => {
        if (!isLeased) return
        isLeased = false
        add(account, -bytes)
        for (const waiter of waiters) if (fullFor(waiter.account, waiter.bytes) === null) serve(waiter)
        for (const listener of listeners) listener()
      }
    }
  }

  const serve = (waiter: Waiter) => {
    waiters.delete(waiter)
    waiter.resume(lease(waiter.account, waiter.bytes))
  }

  const take: MemoryBudget["take"] = (account, bytes) => fullFor(account, bytes) ?? lease(account, bytes)

  const wait: MemoryBudget["wait"] = (account, bytes) =>
    Effect.callback((resume) => {
      const taken = take(account, bytes)
      if (!isFull(taken)) return resume(Effect.succeed(taken))
      let given: Lease | null = null
      const waiter: Waiter = {
        account,
        bytes,
        resume: (lease) => {
          given = lease
          resume(Effect.succeed(lease))
        }
      }
      waiters.add(waiter)
      // An interruption right after the grant: nothing else would release the lease.
      return Effect.sync(() => {
        waiters.delete(waiter)
        given?.release()
      })
    })

  const onRelease: MemoryBudget["onRelease"] = (listener) => {
    listeners.add(listener)
    return () => void listeners.delete(listener)
  }

  return { capacity, used: () => used, take, wait, onRelease }
}
