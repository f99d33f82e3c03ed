/** What an audit remembers of an account: whether it is open, its payments, its limits, its open holds, and what its keys have spent. */
import { noLimits, type RequestLimits } from "#domain/account/Limits.ts"
import { startOf } from "#domain/CalendarTime.ts"
import type { AccountId, KeyId } from "#domain/Ids.ts"
import { availableOf, heldOf, type LedgerAccount } from "#domain/Ledger.ts"
import type { GlobalPosition } from "#streams/GlobalPosition.ts"
import type { RecordedEvent } from "#streams/RecordedEvent.ts"
import * as AuditFields from "./AuditFields.ts"
import { brokenBy } from "./Invariant.ts"

/**
 * A request was accepted beyond what the account might spend. Several nodes may do so within the time they lag, one node
 * alone only within the ms that it takes to follow a limit that was lowered.
 */
export interface Overdraft {
  readonly accountId: AccountId
  /** Where it first happened. */
  readonly position: GlobalPosition
  readonly requests: number
  /** The furthest below the credit limit, nano-USD, positive. */
  readonly worst: bigint
}

/** What was charged for the requests of a key in the newest month (UTC) in which anything was. */
interface KeySpending {
  /** When the month began, Unix time in ms. */
  month: number
  /** nano-USD. */
  spent: bigint
}

export interface Account {
  /** Its names in the books: made once, since they are looked up at every event. */
  readonly available: LedgerAccount
  readonly held: LedgerAccount
  isClosed: boolean
  limits: RequestLimits
  readonly payments: Set<string>
  /** Of the requests that have not ended, nano-USD. */
  openHolds: bigint
  /** Of the keys whose requests were ever charged. */
  readonly keys: Map<KeyId, KeySpending>
  overdraft: Overdraft | null
}

export interface Accounts {
  readonly open: (event: RecordedEvent, accountId: AccountId) => void
  /** Fails the audit when the account is not opened yet. */
  readonly get: (event: RecordedEvent, accountId: AccountId) => Account
  /** All that were opened. */
  readonly all: ReadonlyMap<AccountId, Account>
}

export const make = (): Accounts => {
  const all = new Map<AccountId, Account>()
  return {
    all,
    open: (event, accountId) => {
      if (all.has(accountId)) throw brokenBy(event, "open account", "the account is opened twice")
      if (AuditFields.read(event, AuditFields.openedAccount) !== accountId) {
        throw brokenBy(event, "open account", "another account is opened than its stream's")
      }
      all.set(accountId, {
        available: availableOf(accountId),
        held: heldOf(accountId),
        isClosed: false,
        limits: noLimits,
        payments: new Set(),
        openHolds: 0n,
        keys: new Map(),
        overdraft: null
      })
    },
    get: (event, accountId) => {
      const account = all.get(accountId)
      if (account === undefined)
        throw brokenBy(event, "open account", `the account ${accountId} was not opened`)
      return account
    }
  }
}

/** Of a `BalanceToppedUp`. Returns its reference. */
export const payIn = (account: Account, event: RecordedEvent, amount: bigint): string => {
  if (account.isClosed) throw brokenBy(event, "open account", "the account is closed")
  if (amount <= 0n) throw brokenBy(event, "positive top-up", `the amount is ${amount} nano-USD`)
  const { paymentId, reference } = AuditFields.read(event, AuditFields.payment)
  if (paymentId === null) return reference
  if (account.payments.has(paymentId)) {
    throw brokenBy(event, "one top-up per payment", "its payment was paid in before")
  }
  account.payments.add(paymentId)
  return reference
}

/** A request was charged at `time`, free ones included. */
export const spend = ({ keys }: Account, keyId: KeyId, amount: bigint, time: number): void => {
  const month = startOf("month", time)
  const key = keys.get(keyId)
  if (key === undefined || key.month < month) keys.set(keyId, { month, spent: amount })
  else if (key.month === month) key.spent += amount
}

/** A request was accepted and left `available`. */
export const noteOverdraft = (
  account: Account,
  { position }: RecordedEvent,
  accountId: AccountId,
  available: bigint
): void => {
  const beyond = -account.limits.creditLimit - available
  if (beyond <= 0n) return
  const before = account.overdraft ?? { accountId, position, requests: 0, worst: 0n }
  const worst = beyond > before.worst ? beyond : before.worst
  account.overdraft = { ...before, requests: before.requests + 1, worst }
}
