/** What could not be begun, for a while: it is asked for again later, and keeps nobody else waiting until then. */
import { Effect } from "effect"
import type { AccountId } from "#domain/Ids.ts"
import type { DeliveryId } from "#domain/webhook-delivery/DeliveryId.ts"
import * as MonotonicTime from "#src/kernel/time/MonotonicTime.ts"

const holdMs = 5_000

/** For so long what a delivery needs and is not to be had may be on its way to whoever answers for the log, ms. */
export const patienceMs = 60_000

/** Of each kind; the ones that were held first go. */
const most = 2_000

export interface Postponed {
  /** Whatever this account has. */
  readonly account: (accountId: AccountId) => Effect.Effect<void>
  readonly delivery: (id: DeliveryId) => Effect.Effect<void>
  /** Whether the delivery, or its account, is held. */
  readonly has: (id: DeliveryId, accountId: AccountId) => Effect.Effect<boolean>
  /** What is held now. */
  readonly now: Effect.Effect<{
    readonly accounts: ReadonlyArray<string>
    readonly deliveries: ReadonlyArray<string>
  }>
}

/** Keys in the order in which their time is over. */
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
