/**
 * What each account may spend and each key has spent: a fold of the log, with this node's reserves ahead of it.
 * Synchronous, so that nothing changes between a check and its effect. Memory: a cell for each account and each
 * spending key, and a bounded number of holds, however many requests wait (docs/decisions/0053).
 */
import { noLimits, type RequestLimits } from "#domain/account/Limits.ts"
import { endOf, startOf } from "#domain/CalendarTime.ts"
import type { AccountId, KeyId, RequestId } from "#domain/Ids.ts"
import type { MoneyEvent } from "#domain/Ledger.ts"
import { NanoUsd } from "#domain/Money.ts"
import type { LedgerState } from "#projections/ledger/LedgerState.ts"
import * as MoneyEvents from "#projections/ledger/MoneyEvents.ts"
import * as RecentlyUsed from "#streams/RecentlyUsed.ts"
import type { RecordedEvent } from "#streams/RecordedEvent.ts"

/** Amounts are nano-USD. */
interface AccountFunds {
  /** The balance minus holds; negative by at most the credit limit. */
  readonly available: NanoUsd
  readonly held: NanoUsd
  /** Requests that have not ended. */
  readonly open: number
  readonly limits: RequestLimits
}

/** Amounts are nano-USD. */
interface KeySpending {
  /** Charges of the month, plus current holds. */
  readonly spent: NanoUsd
  /** Begin of the next month (UTC), Unix time in ms. */
  readonly resetsAt: number
}

/** The hold that a request needs. Amounts are nano-USD. */
export interface HoldTerms {
  readonly accountId: AccountId
  readonly keyId: KeyId
  readonly hold: NanoUsd
  /** What the key may spend in a calendar month (UTC); `null`: no limit. */
  readonly budget: NanoUsd | null
  /** Now, Unix time in ms; determines the month. */
  readonly at: number
}

export type Reserved = "ok" | "insufficient" | "over_budget" | "too_many_open"

export interface FundsCells {
  readonly of: (accountId: AccountId) => AccountFunds
  readonly ofKey: (key: Pick<HoldTerms, "accountId" | "keyId" | "at">) => KeySpending
  /**
   * Takes the hold from the available money and the key's budget. A request with a hold keeps it; the hold then also
   * counts against this key's budget until one of them is on the log, and needs as many cancels as reserves.
   */
  readonly reserve: (requestId: RequestId, wanted: HoldTerms) => Reserved
  /** What `reserve` would return for a request without a hold. Takes nothing. */
  readonly affords: (wanted: HoldTerms) => Reserved
  /** Cancels a reserve that led to no event. No effect on a hold that is on the log. */
  readonly cancel: (requestId: RequestId) => void
  /**
   * Applies the next event of the log, each event once. False if it ends a request whose hold is not in memory: `end` must
   * follow. Throws on an unreadable event and skips it.
   */
  readonly fold: (event: RecordedEvent) => boolean
  /** Applies the event that ended a request, with the event that submitted it. Throws like `fold`. */
  readonly end: (ended: RecordedEvent, submitted: RecordedEvent) => void
}

/** The most holds in memory that are on the log. */
const maxPosted = 16_384

interface KeyCell {
  held: bigint
  /** Begin of the newest month with charges. */
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

/** What a request holds. */
interface HeldTerms {
  readonly cell: Cell
  readonly key: KeyCell
  readonly amount: bigint
}

interface Hold extends HeldTerms {
  /** Keys of other reserves of the request until one is on the log; it counts against each budget. */
  twins: ReadonlyArray<KeyCell>
  /** Reserves that were not cancelled. */
  reserves: number
  isPosted: boolean
}

const noTwins: ReadonlyArray<KeyCell> = []

/** Whether the log has just what was reserved, as it has for a request of this node. */
const isSame = (hold: Hold, amount: bigint, key: KeyCell | undefined) =>
  hold.amount === amount && hold.key === key && hold.twins === noTwins

/** What counts against a budget. The newest charge decides on the month, even if another node's clock is ahead. */
const usedOf = (key: KeyCell | undefined, at: number): bigint => {
  if (key === undefined) return 0n
  return key.held + (key.month >= startOf("month", at) ? key.spent : 0n)
}

export const make = (
  { balances, limits, open, spending }: LedgerState,
  capacity: number = maxPosted
): FundsCells => {
  const cells = new Map<AccountId, Cell>()
  const holds = RecentlyUsed.make<Hold>({ capacity, isPinned: ({ isPosted }) => !isPosted })

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
    add(cell, key, hold, 1)
    holds.set(requestId, { cell, key, twins: noTwins, amount: hold, reserves: 1, isPosted })
  }

  /** Holds the amount for so many more requests. */
  const add = (cell: Cell, key: KeyCell, amount: bigint, requests: number) => {
    cell.available -= amount
    cell.held += amount
    cell.open += requests
    key.held += amount
  }

  const giveBack = (requestId: string, { amount, cell, key, twins }: Hold) => {
    add(cell, key, -amount, -1)
    for (const twin of twins) twin.held -= amount
    holds.delete(requestId)
  }

  /** Released amounts. */
  const charge = ({ cell, key }: HeldTerms, amount: bigint, at: number) => {
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
  for (const { accountId, held, keyId, requests } of open) {
    const cell = cellOf(accountId)
    add(cell, keyOf(cell, keyId), held, requests)
  }

  const isWithinBudget = (key: KeyCell | undefined, { at, budget, hold }: HoldTerms): boolean =>
    budget === null || usedOf(key, at) + hold <= budget

  /** Another reserve for the request: its key may be the one that is charged. */
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

  const chargeEnd = (money: MoneyEvent, terms: HeldTerms, at: number) => {
    if (money._tag === "Captured" && money.amount > 0n) charge(terms, money.amount, at)
  }

  const foldMoney = (event: RecordedEvent): boolean => {
    const money = MoneyEvents.read(event)
    if (money === null) return true
    switch (money._tag) {
      case "ToppedUp":
        cellOf(money.accountId).available += money.amount
        return true
      case "Held": {
        const { accountId, amount, requestId } = money
        const hold = holds.get(requestId)
        const keyId = MoneyEvents.keyOf(event)
        if (hold !== undefined && isSame(hold, amount, hold.cell.keys.get(keyId))) {
          hold.isPosted = true
          hold.reserves = 1
          return true
        }
        if (hold !== undefined) giveBack(requestId, hold)
        take(requestId, { accountId, keyId, hold: amount }, true)
        return true
      }
      case "Captured":
      case "Released":
      case "Reverted": {
        const hold = holds.get(money.requestId)
        // A reserve that is not on the log is another submit of the request; its caller cancels it.
        if (hold === undefined || !hold.isPosted) return false
        giveBack(money.requestId, hold)
        chargeEnd(money, hold, event.time)
        return true
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
      return true
    },
    end: (ended, submitted) => {
      const money = MoneyEvents.read(ended)
      const held = MoneyEvents.read(submitted)
      if (money === null || held?._tag !== "Held") throw new Error("The request has no hold")
      const cell = cellOf(held.accountId)
      const terms = { cell, key: keyOf(cell, MoneyEvents.keyOf(submitted)), amount: held.amount }
      add(cell, terms.key, -held.amount, -1)
      chargeEnd(money, terms, ended.time)
    }
  }
}
