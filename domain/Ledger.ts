/**
 * The ledger: what each event that concerns money means in double entry (architecture, "Billing"). An entry moves an
 * amount from one account to another, so that its two postings always sum to zero, and with them all there are.
 */
import type { AccountId, RequestId } from "./Ids.ts"
import { type NanoUsd, NanoUsd as Amount, zero } from "./Money.ts"

/**
 * `external` is whoever pays, `revenue` what was earned. Of each customer's money one part is `available`, the other
 * `held` for requests that have not ended; the balance is both.
 */
export type LedgerAccount = "external" | "revenue" | `${AccountId}:available` | `${AccountId}:held`

export const availableOf = (accountId: AccountId): LedgerAccount => `${accountId}:available`
export const heldOf = (accountId: AccountId): LedgerAccount => `${accountId}:held`

/** What happened to an account's money. */
export type MoneyEvent =
  /** It was paid in. */
  | { readonly _tag: "ToppedUp"; readonly accountId: AccountId; readonly amount: NanoUsd }
  /** A request was accepted, and what it may cost at most is set aside. */
  | {
      readonly _tag: "Held"
      readonly accountId: AccountId
      readonly requestId: RequestId
      readonly amount: NanoUsd
    }
  /** The request ran to its end: `amount` of its hold is charged, the rest given back. */
  | { readonly _tag: "Captured"; readonly requestId: RequestId; readonly amount: NanoUsd }
  /** The request failed or was cancelled: its hold is given back. */
  | { readonly _tag: "Released"; readonly requestId: RequestId }
  /** The sweep gave the request up: its hold is given back. */
  | { readonly _tag: "Reverted"; readonly requestId: RequestId }

/** What was set aside for a request. */
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
  /** What the account has more, negative for less. */
  readonly amount: NanoUsd
}

/**
 * What the event moves; nothing when the amount is zero. `held` is what was held for the event's request before it: a
 * top-up and a hold need none, and without it an end moves nothing.
 */
export const entriesOf = (event: MoneyEvent, held: Hold | undefined): ReadonlyArray<Entry> => {
  switch (event._tag) {
    case "ToppedUp":
      return entry("topup", "external", availableOf(event.accountId), event.amount)
    case "Held":
      return entry("hold", availableOf(event.accountId), heldOf(event.accountId), event.amount)
    case "Captured":
      return held === undefined ? [] : capture(held, event.amount)
    case "Released":
      return held === undefined ? [] : giveBack("release", held, held.amount)
    case "Reverted":
      return held === undefined ? [] : giveBack("revert", held, held.amount)
  }
}

export const postingsOf = ({ amount, credit, debit }: Entry): ReadonlyArray<Posting> => [
  { account: debit, amount: Amount.make(-amount) },
  { account: credit, amount }
]

/** `amount` is at most what is held. */
const capture = (hold: Hold, amount: NanoUsd): ReadonlyArray<Entry> => [
  ...entry("charge", heldOf(hold.accountId), "revenue", amount),
  ...giveBack("release", hold, Amount.make(hold.amount - amount))
]

const giveBack = (kind: "release" | "revert", { accountId }: Hold, amount: NanoUsd) =>
  entry(kind, heldOf(accountId), availableOf(accountId), amount)

const entry = (
  kind: EntryKind,
  debit: LedgerAccount,
  credit: LedgerAccount,
  amount: NanoUsd
): ReadonlyArray<Entry> => (amount === zero ? [] : [{ kind, debit, credit, amount }])
