/**
 * The ledger in double entry: which amounts each money event moves (architecture, "Billing"). An entry moves an amount from
 * one account to another, so the postings of an entry, and all postings together, sum to zero.
 */
import type { AccountId, RequestId } from "./Ids.ts"
import { type NanoUsd, NanoUsd as Amount, zero } from "./Money.ts"

/**
 * `external` stands for payers, `revenue` for earnings. The money of a customer is `available`, or `held` for requests that
 * have not ended. The balance is the sum of both.
 */
export type LedgerAccount = "external" | "revenue" | `${AccountId}:available` | `${AccountId}:held`

export const availableOf = (accountId: AccountId): LedgerAccount => `${accountId}:available`
export const heldOf = (accountId: AccountId): LedgerAccount => `${accountId}:held`

/** An event in the life of an account's money. */
export type MoneyEvent =
  /** An amount was paid in. */
  | { readonly _tag: "ToppedUp"; readonly accountId: AccountId; readonly amount: NanoUsd }
  /** A request was accepted, and the most that it may cost was reserved. */
  | {
      readonly _tag: "Held"
      readonly accountId: AccountId
      readonly requestId: RequestId
      readonly amount: NanoUsd
    }
  /** The request completed: `amount` of its hold is charged, and the rest is released. */
  | { readonly _tag: "Captured"; readonly requestId: RequestId; readonly amount: NanoUsd }
  /** The request failed or was cancelled: its hold is released. */
  | { readonly _tag: "Released"; readonly requestId: RequestId }
  /** The sweep ended the request by force: its hold is released. */
  | { readonly _tag: "Reverted"; readonly requestId: RequestId }

/** The amount reserved for a request. */
export interface Hold {
  readonly accountId: AccountId
  readonly amount: NanoUsd
}

export type EntryKind = "topup" | "hold" | "charge" | "release" | "revert"

/** `amount` nano-USD from `debit` to `credit`. */
export interface Entry {
  readonly kind: EntryKind
  readonly debit: LedgerAccount
  readonly credit: LedgerAccount
  /** Positive. */
  readonly amount: NanoUsd
}

export interface Posting {
  readonly account: LedgerAccount
  /** The change of the account's balance. Negative for a decrease. */
  readonly amount: NanoUsd
}

/**
 * The entries of an event; empty when the amount is zero. `hold` is the request's hold before the event. A top-up and a hold
 * do not need it; the end of a request without it moves nothing.
 */
export const entriesOf = (event: MoneyEvent, hold: Hold | undefined): ReadonlyArray<Entry> => {
  switch (event._tag) {
    case "ToppedUp":
      return entry("topup", "external", availableOf(event.accountId), event.amount)
    case "Held":
      return entry("hold", availableOf(event.accountId), heldOf(event.accountId), event.amount)
    case "Captured":
      return hold === undefined ? [] : capture(hold, event.amount)
    case "Released":
      return hold === undefined ? [] : release("release", hold, hold.amount)
    case "Reverted":
      return hold === undefined ? [] : release("revert", hold, hold.amount)
  }
}

export const postingsOf = ({ amount, credit, debit }: Entry): ReadonlyArray<Posting> => [
  { account: debit, amount: Amount.make(-amount) },
  { account: credit, amount }
]

/** `amount` is at most the hold's. */
const capture = (hold: Hold, amount: NanoUsd): ReadonlyArray<Entry> => [
  ...entry("charge", heldOf(hold.accountId), "revenue", amount),
  ...release("release", hold, Amount.make(hold.amount - amount))
]

const release = (kind: "release" | "revert", { accountId }: Hold, amount: NanoUsd) =>
  entry(kind, heldOf(accountId), availableOf(accountId), amount)

const entry = (
  kind: EntryKind,
  debit: LedgerAccount,
  credit: LedgerAccount,
  amount: NanoUsd
): ReadonlyArray<Entry> => (amount === zero ? [] : [{ kind, debit, credit, amount }])
