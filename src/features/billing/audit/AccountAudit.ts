/** What an audit tracks of an account: its payments, limits and open holds, and what its keys have spent. */
import { noLimits, type RequestLimits } from "#domain/account/Limits.ts"
import { startOf } from "#domain/CalendarTime.ts"
import type { AccountId, KeyId } from "#domain/Ids.ts"
import type { BillingStatus } from "#domain/inference-request/Event.ts"
import { availableOf, type Entry, heldOf, type LedgerAccount } from "#domain/Ledger.ts"
import type { GlobalPosition } from "#streams/GlobalPosition.ts"
import type { RecordedEvent } from "#streams/RecordedEvent.ts"
import * as AuditFields from "./AuditFields.ts"
import { brokenBy } from "./Invariant.ts"

/** A request exceeded the account's funds: several nodes may cause it within their lag, one node only within ms. */
export interface Overdraft {
  readonly accountId: AccountId
  /** Where it first happened. */
  readonly position: GlobalPosition
  readonly requests: number
  /** The most below the credit limit, nano-USD, positive. */
  readonly worst: bigint
}

/** Charges for a key's requests in the newest month (UTC) with any. */
interface KeySpending {
  /** Begin of the month, Unix time in ms. */
  month: number
  spent: bigint
}

/** What a statement over all time shows of an account, beside its balances. nano-USD, and requests that have ended. */
interface Totals {
  topUps: bigint
  charges: bigint
  charged: number
  partial: number
  notBilled: number
}

export interface Account {
  /** Its names in the books, made once because every event needs them. */
  readonly available: LedgerAccount
  readonly held: LedgerAccount
  isClosed: boolean
  limits: RequestLimits
  readonly payments: Set<string>
  /** Of the requests that have not ended, nano-USD. */
  openHolds: bigint
  /** By key, for keys with charges. */
  readonly keys: Map<KeyId, KeySpending>
  overdraft: Overdraft | null
  readonly totals: Totals
}

const opened = (accountId: AccountId): Account => ({
  available: availableOf(accountId),
  held: heldOf(accountId),
  isClosed: false,
  limits: noLimits,
  payments: new Set(),
  openHolds: 0n,
  keys: new Map(),
  overdraft: null,
  totals: { topUps: 0n, charges: 0n, charged: 0, partial: 0, notBilled: 0 }
})

/** An account as of an earlier audit. */
export const restored = (accountId: AccountId, facts: Omit<Account, "available" | "held">): Account => ({
  ...facts,
  available: availableOf(accountId),
  held: heldOf(accountId)
})

export interface Accounts {
  readonly open: (event: RecordedEvent, accountId: AccountId) => void
  /** Fails the audit if the account is not open. */
  readonly get: (event: RecordedEvent, accountId: AccountId) => Account
  /** All opened accounts. */
  readonly all: ReadonlyMap<AccountId, Account>
}

/** @param before The accounts of an earlier audit. They are changed. */
export const make = (before?: Iterable<readonly [AccountId, Account]>): Accounts => {
  const all = new Map<AccountId, Account>(before)
  return {
    all,
    open: (event, accountId) => {
      if (all.has(accountId)) throw brokenBy(event, "open account", "the account is opened twice")
      if (AuditFields.read(event, AuditFields.openedAccount) !== accountId) {
        throw brokenBy(event, "open account", "another account is opened than its stream's")
      }
      all.set(accountId, opened(accountId))
    },
    get: (event, accountId) => {
      const account = all.get(accountId)
      if (account === undefined)
        throw brokenBy(event, "open account", `the account ${accountId} was not opened`)
      return account
    }
  }
}

/** For a `BalanceToppedUp`. Returns its reference. */
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

/** Counts what an event moved, and how the request that it ended is billed. */
export const count = (
  { totals }: Account,
  entries: ReadonlyArray<Entry>,
  billing: BillingStatus | null
): void => {
  for (const { amount, kind } of entries) {
    if (kind === "topup") totals.topUps += amount
    else if (kind === "charge") totals.charges += amount
  }
  switch (billing) {
    case null:
      return
    case "charged":
      totals.charged++
      return
    case "partial":
      totals.partial++
      return
    case "failed":
      totals.notBilled++
  }
}

/** A request was charged at `time`, possibly nothing. */
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
