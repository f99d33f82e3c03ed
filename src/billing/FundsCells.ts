/**
 * What each account may spend, as a fold of the log with what is reserved on this node ahead of it. Nothing here waits:
 * between a look and what follows from it nobody comes in.
 *
 * In memory there is a cell for each account and an entry for each request that has not ended, some hundred bytes each.
 */
import { noLimits, type RequestLimits } from "#domain/account/Limits.ts"
import type { AccountId, RequestId } from "#domain/Ids.ts"
import { NanoUsd } from "#domain/Money.ts"
import type { LedgerStanding } from "#projections/ledger/LedgerStanding.ts"
import * as MoneyEvents from "#projections/ledger/MoneyEvents.ts"
import type { RecordedEvent } from "#streams/RecordedEvent.ts"

/** Amounts are nano-USD. */
export interface AccountFunds {
  /** The balance less what is held; below zero by the credit limit at most. */
  readonly available: NanoUsd
  readonly held: NanoUsd
  /** Requests that have not ended. */
  readonly open: number
  readonly limits: RequestLimits
}

export type Reserved = "ok" | "insufficient" | "too_many_open"

export interface FundsCells {
  readonly of: (accountId: AccountId) => AccountFunds
  /**
   * Takes `hold` from what is available. A request that has a hold already keeps it, and it takes as many cancels as
   * there were reserves to give it back.
   */
  readonly reserve: (accountId: AccountId, requestId: RequestId, hold: NanoUsd) => Reserved
  /** What `reserve` would say of a request that has no hold. Takes nothing. */
  readonly affords: (accountId: AccountId, hold: NanoUsd) => Reserved
  /** Takes a reserve back: it led to no event. Nothing happens to a hold that is on the log. */
  readonly cancel: (requestId: RequestId) => void
  /** The next event of the log. Throws on one that cannot be read, and leaves it out. */
  readonly fold: (event: RecordedEvent) => void
}

interface Cell {
  available: bigint
  held: bigint
  open: number
  limits: RequestLimits
}

interface Hold {
  readonly cell: Cell
  readonly amount: bigint
  /** Reserves that were not cancelled. */
  reserves: number
  isPosted: boolean
}

export const make = ({ balances, holds: open, limits }: LedgerStanding): FundsCells => {
  const cells = new Map<AccountId, Cell>()
  const holds = new Map<string, Hold>()

  const cellOf = (accountId: AccountId): Cell => {
    const known = cells.get(accountId)
    if (known !== undefined) return known
    const cell = { available: 0n, held: 0n, open: 0, limits: noLimits }
    cells.set(accountId, cell)
    return cell
  }

  const take = (requestId: string, cell: Cell, amount: bigint, isPosted: boolean) => {
    cell.available -= amount
    cell.held += amount
    cell.open++
    holds.set(requestId, { cell, amount, reserves: 1, isPosted })
  }

  /** Of which `charged` does not come back. */
  const giveBack = (requestId: string, { amount, cell }: Hold, charged: bigint) => {
    cell.available += amount - charged
    cell.held -= amount
    cell.open--
    holds.delete(requestId)
  }

  for (const { accountId, balance } of balances) cellOf(accountId).available = balance
  for (const { accountId, limits: set } of limits) cellOf(accountId).limits = set
  for (const { accountId, amount, requestId } of open) take(requestId, cellOf(accountId), amount, true)

  const affords = (accountId: AccountId, amount: NanoUsd): Reserved => {
    const cell = cells.get(accountId)
    const { creditLimit, maxOpenRequests } = cell?.limits ?? noLimits
    if ((cell?.available ?? 0n) + creditLimit < amount) return "insufficient"
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
        if (hold !== undefined) giveBack(requestId, hold, 0n)
        return take(requestId, cellOf(accountId), amount, true)
      }
      case "Captured":
      case "Released":
      case "Reverted": {
        const hold = holds.get(money.requestId)
        // A reserve for a request that has ended: the one who made it takes it back.
        if (hold === undefined || !hold.isPosted) return
        return giveBack(money.requestId, hold, money._tag === "Captured" ? money.amount : 0n)
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
    reserve: (accountId, requestId, amount) => {
      const held = holds.get(requestId)
      if (held !== undefined) {
        held.reserves++
        return "ok"
      }
      const answer = affords(accountId, amount)
      if (answer === "ok") take(requestId, cellOf(accountId), amount, false)
      return answer
    },
    affords,
    cancel: (requestId) => {
      const hold = holds.get(requestId)
      if (hold === undefined || hold.isPosted) return
      hold.reserves--
      if (hold.reserves === 0) giveBack(requestId, hold, 0n)
    },
    fold: (event) => {
      const changed = MoneyEvents.readLimits(event)
      if (changed === null) return foldMoney(event)
      cellOf(changed.accountId).limits = changed.limits
    }
  }
}
