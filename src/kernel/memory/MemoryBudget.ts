/**
 * Bytes of memory that are given out, to accounts that do not starve each other: an account may have as much as is left for
 * all others. One account gets half of all, two a third each, and there is always something left for the next.
 */
import { Effect } from "effect"

/** Whose share is used up: the account's own, or there is no room for anybody. */
export type Full = "account" | "node"

export interface Lease {
  readonly bytes: number
  /** Gives it back. Nothing happens the second time. */
  readonly release: () => void
}

export interface MemoryBudget {
  readonly capacity: number
  readonly used: () => number
  /** Something that an account has none of is given whenever there is room, and always when nothing is given out. */
  readonly take: (account: string, bytes: number) => Lease | Full
  /** Waits until `take` gives it, for as long as it is not interrupted. Those who wait are served in turn. */
  readonly wait: (account: string, bytes: number) => Effect.Effect<Lease>
  /** Told after each release. The function that it returns ends that. */
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
    let isHeld = true
    add(account, bytes)
    return {
      bytes,
      release: () => {
        if (!isHeld) return
        isHeld = false
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
      // Interrupted when it was just given: nobody else would give it back.
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
