/** Notes for what there was no room at the last read, so that a slot which becomes free leads to a read only if it may serve that. */
import type { Without } from "#projections/deliveries/DueDeliveryQueries.ts"
import type { Lane } from "./Lane.ts"

export interface Unserved {
  /** A read begins that leaves out these. */
  readonly begin: (without: Omit<Without, "deliveries">) => void
  /** Any slot may serve something that was left out. */
  readonly noteAny: () => void
  readonly has: (lane: Lane) => boolean
}

const nameOf = (accountId: string, origin: string) => `${accountId} ${origin}`

export const make = (): Unserved => {
  let isAny = false
  let accounts: ReadonlySet<string> = new Set()
  let receivers: ReadonlySet<string> = new Set()
  let lanes: ReadonlySet<string> = new Set()
  return {
    begin: (without) => {
      isAny = false
      accounts = new Set(without.accounts)
      receivers = new Set(without.receivers)
      lanes = new Set(without.lanes.map(([accountId, origin]) => nameOf(accountId, origin)))
    },
    noteAny: () => {
      isAny = true
    },
    has: ({ accountId, origin }) =>
      isAny || accounts.has(accountId) || receivers.has(origin) || lanes.has(nameOf(accountId, origin))
  }
}
