/** Deliveries that could not begin and wait for a retry without blocking others. */
import { Effect } from "effect"
import type { AccountId } from "#domain/Ids.ts"
import type { DeliveryId } from "#domain/webhook-delivery/DeliveryId.ts"
import * as MonotonicTime from "#src/kernel/time/MonotonicTime.ts"

const holdMs = 5_000

/** How long to wait for a delivery's missing payload before it counts as lost, ms. */
export const patienceMs = 60_000

/** Entries of each kind; the oldest are dropped. */
const most = 2_000

export interface Postponed {
  /** Any delivery of this account. */
  readonly account: (accountId: AccountId) => Effect.Effect<void>
  readonly delivery: (id: DeliveryId) => Effect.Effect<void>
  /** Whether the delivery or its account is postponed. */
  readonly has: (id: DeliveryId, accountId: AccountId) => Effect.Effect<boolean>
  /** The postponed deliveries and accounts. */
  readonly now: Effect.Effect<{
    readonly accounts: ReadonlyArray<string>
    readonly deliveries: ReadonlyArray<string>
  }>
}

/** Keys in the order of their time. */
const makeKeys = () => {
  const until = new Map<string, number>()
  const dropFirst = () => {
    for (const key of until.keys()) {
      until.delete(key)
      return
    }
  }
  return {
    hold: (key: string, now: number) => {
      until.delete(key)
      until.set(key, now + holdMs)
      if (until.size > most) dropFirst()
    },
    has: (key: string, now: number) => (until.get(key) ?? now) > now,
    at: (now: number): ReadonlyArray<string> => {
      for (const [key, end] of until) {
        if (end > now) break
        until.delete(key)
      }
      return [...until.keys()]
    }
  }
}

export const make = (): Postponed => {
  const accounts = makeKeys()
  const deliveries = makeKeys()
  return {
    account: (accountId) => Effect.map(MonotonicTime.millis, (now) => accounts.hold(accountId, now)),
    delivery: (id) => Effect.map(MonotonicTime.millis, (now) => deliveries.hold(id, now)),
    has: (id, accountId) =>
      Effect.map(MonotonicTime.millis, (now) => deliveries.has(id, now) || accounts.has(accountId, now)),
    now: Effect.map(MonotonicTime.millis, (now) => ({
      accounts: accounts.at(now),
      deliveries: deliveries.at(now)
    }))
  }
}
