/**
 * What each account may spend, and what each key has spent, as a fold of the log with what is reserved on this node ahead
 * of it. Nothing here waits: between a look and what follows from it nobody comes in.
 *
 * In memory there is a cell for each account and each key that has spent something, and an entry for each request that has
 * not ended, some hundred bytes each.
 */
import { noLimits, type RequestLimits } from "#domain/account/Limits.ts"
import { endOf, startOf } from "#domain/CalendarTime.ts"
import type { AccountId, KeyId, RequestId } from "#domain/Ids.ts"
import { NanoUsd } from "#domain/Money.ts"
import type { LedgerState } from "#projections/ledger/LedgerState.ts"
import * as MoneyEvents from "#projections/ledger/MoneyEvents.ts"
import type { RecordedEvent } from "#streams/RecordedEvent.ts"

/** Amounts are nano-USD. */
interface AccountFunds {
  /** The balance less what is held; below zero by the credit limit at most. */
  readonly available: NanoUsd
  readonly held: NanoUsd
  /** Requests that have not ended. */
  readonly open: number
  readonly limits: RequestLimits
}

/** Amounts are nano-USD. */
interface KeySpending {
  /** What was charged in the month, and what is held now. */
  readonly spent: NanoUsd
  /** When the next month begins (UTC), Unix time in ms. */
  readonly resetsAt: number
}

/** What a request asks for. Amounts are nano-USD. */
export interface HoldTerms {
  readonly accountId: AccountId
  readonly keyId: KeyId
  readonly hold: NanoUsd
  /** What the key may spend in a calendar month (UTC); `null`: as much as the account has. */
  readonly budget: NanoUsd | null
  /** Now, Unix time in ms: the month that counts is the one it is in. */
  readonly at: number
}

export type Reserved = "ok" | "insufficient" | "over_budget" | "too_many_open"

export interface FundsCells {
  readonly of: (accountId: AccountId) => AccountFunds
  readonly ofKey: (key: Pick<HoldTerms, "accountId" | "keyId" | "at">) => KeySpending
  /**
   * Takes the hold from what is available, and from the key's budget. A request that has a hold already keeps it, which
   * then counts against this key's budget too until one of them is on the log, and it takes as many cancels as there were reserves to give it back.
   */
  readonly reserve: (requestId: RequestId, wanted: HoldTerms) => Reserved
  /** What `reserve` would say of a request that has no hold. Takes nothing. */
  readonly affords: (wanted: HoldTerms) => Reserved
  /** Takes a reserve back: it led to no event. Nothing happens to a hold that is on the log. */
  readonly cancel: (requestId: RequestId) => void
  /** The next event of the log. Throws on one that cannot be read, and leaves it out. */
  readonly fold: (event: RecordedEvent) => void
}

interface KeyCell {
  held: bigint
  /** The newest one in which anything was charged, when it began. */
  month: number
  /** In that month. */
  spent: bigint
}

interface Cell {
  available: bigint
  held: bigint
  open: number
  limits: RequestLimits
  readonly keys: Map<KeyId, KeyCell>
}

interface Hold {
  readonly cell: Cell
  readonly key: KeyCell
  /** Keys of other reserves of it, as long as nobody knows whose will be on the log: it counts against each one's budget. */
  twins: ReadonlyArray<KeyCell>
  readonly amount: bigint
  /** Reserves that were not cancelled. */
  reserves: number
  isPosted: boolean
}

const noTwins: ReadonlyArray<KeyCell> = []

/** What counts against a budget. Where the newest charge is of a later month, by another node's clock, that one counts. */
const usedOf = (key: KeyCell | undefined, at: number): bigint => {
  if (key === undefined) return 0n
  return key.held + (key.month >= startOf("month", at) ? key.spent : 0n)
}

export const make = ({ balances, holds: open, limits, spending }: LedgerState): FundsCells => {
  const cells = new Map<AccountId, Cell>()
  const holds = new Map<string, Hold>()

  const cellOf = (accountId: AccountId): Cell => {
    const known = cells.get(accountId)
    if (known !== undefined) return known
    const cell = { available: 0n, held: 0n, open: 0, limits: noLimits, keys: new Map() }
    cells.set(accountId, cell)
    return cell
  }

  const keyOf = ({ keys }: Cell, keyId: KeyId): KeyCell => {
    const known = keys.get(keyId)
    if (known !== undefined) return known
    const key = { held: 0n, month: Number.NEGATIVE_INFINITY, spent: 0n }
    keys.set(keyId, key)
    return key
  }

  const take = (
    requestId: string,
    { accountId, hold, keyId }: Pick<HoldTerms, "accountId" | "keyId" | "hold">,
    isPosted: boolean
  ) => {
    const cell = cellOf(accountId)
    const key = keyOf(cell, keyId)
    cell.available -= hold
    cell.held += hold
    cell.open++
    key.held += hold
    holds.set(requestId, { cell, key, twins: noTwins, amount: hold, reserves: 1, isPosted })
  }

  const giveBack = (requestId: string, { amount, cell, key, twins }: Hold) => {
    cell.available += amount
    cell.held -= amount
    cell.open--
    key.held -= amount
    for (const twin of twins) twin.held -= amount
    holds.delete(requestId)
  }

  /** Of what was given back. */
  const charge = ({ cell, key }: Hold, amount: bigint, at: number) => {
    cell.available -= amount
    const month = startOf("month", at)
    if (month < key.month) return
    key.spent = month > key.month ? amount : key.spent + amount
    key.month = month
  }

  for (const { accountId, balance } of balances) cellOf(accountId).available = balance
  for (const { accountId, limits: set } of limits) cellOf(accountId).limits = set
  for (const { accountId, keyId, month, spent } of spending) {
    const key = keyOf(cellOf(accountId), keyId)
    key.month = month
    key.spent = spent
  }
  for (const { accountId, amount, keyId, requestId } of open) {
    take(requestId, { accountId, keyId, hold: amount }, true)
  }

  const isWithinBudget = (key: KeyCell | undefined, { at, budget, hold }: HoldTerms): boolean =>
    budget === null || usedOf(key, at) + hold <= budget

  /** Another reserve of a request that has a hold: its key may be the one that is charged. */
  const reserveAgain = (hold: Hold, wanted: HoldTerms): Reserved => {
    const key = keyOf(hold.cell, wanted.keyId)
    if (!hold.isPosted && key !== hold.key && !hold.twins.includes(key)) {
      if (!isWithinBudget(key, wanted)) return "over_budget"
      key.held += hold.amount
      hold.twins = [...hold.twins, key]
    }
    hold.reserves++
    return "ok"
  }

  const affords = (wanted: HoldTerms): Reserved => {
    const { accountId, hold, keyId } = wanted
    const cell = cells.get(accountId)
    const { creditLimit, maxOpenRequests } = cell?.limits ?? noLimits
    if ((cell?.available ?? 0n) + creditLimit < hold) return "insufficient"
    if (!isWithinBudget(cell?.keys.get(keyId), wanted)) return "over_budget"
    return maxOpenRequests !== null && (cell?.open ?? 0) >= maxOpenRequests ? "too_many_open" : "ok"
  }

  const foldMoney = (event: RecordedEvent) => {
    const money = MoneyEvents.read(event)
    if (money === null) return
    switch (money._tag) {
      case "ToppedUp":
        cellOf(money.accountId).available += money.amount
        return
      case "Held": {
        const { accountId, amount, requestId } = money
        const hold = holds.get(requestId)
        if (hold?.isPosted === true) return
        const keyId = MoneyEvents.keyOf(event)
        if (hold !== undefined) giveBack(requestId, hold)
        return take(requestId, { accountId, keyId, hold: amount }, true)
      }
      case "Captured":
      case "Released":
      case "Reverted": {
        const hold = holds.get(money.requestId)
        // A reserve for a request that has ended: the one who made it takes it back.
        if (hold === undefined || !hold.isPosted) return
        giveBack(money.requestId, hold)
        if (money._tag === "Captured" && money.amount > 0n) charge(hold, money.amount, event.time)
      }
    }
  }

  return {
    of: (accountId) => {
      const { available, held, open, limits } = cells.get(accountId) ?? {
        available: 0n,
        held: 0n,
        open: 0,
        limits: noLimits
      }
      return { available: NanoUsd.make(available), held: NanoUsd.make(held), open, limits }
    },
    ofKey: ({ accountId, at, keyId }) => ({
      spent: NanoUsd.make(usedOf(cells.get(accountId)?.keys.get(keyId), at)),
      resetsAt: endOf("month", at)
    }),
    reserve: (requestId, wanted) => {
      const held = holds.get(requestId)
      if (held !== undefined) return reserveAgain(held, wanted)
      const answer = affords(wanted)
      if (answer === "ok") take(requestId, wanted, false)
      return answer
    },
    affords,
    cancel: (requestId) => {
      const hold = holds.get(requestId)
      if (hold === undefined || hold.isPosted) return
      hold.reserves--
      if (hold.reserves === 0) giveBack(requestId, hold)
    },
    fold: (event) => {
      const changed = MoneyEvents.readLimits(event)
      if (changed === null) return foldMoney(event)
      cellOf(changed.accountId).limits = changed.limits
    }
  }
}
