/** Each account's money within a period. Amounts are nano-USD. */
import type { AccountId } from "#domain/Ids.ts"
import type { Entry } from "#domain/Ledger.ts"
import type * as AccountAudit from "./AccountAudit.ts"
import type { Booked } from "./Auditor.ts"
import * as Period from "./Period.ts"

export interface Row {
  /** Balance before the period, including held money. */
  opening: bigint
  topUps: bigint
  charges: bigint
  /** Part of the balance at the period's end. */
  held: bigint
  /** Requests that ended within the period. */
  charged: number
  partial: number
  notBilled: number
}

export const closing = ({ charges, opening, topUps }: Row): bigint => opening + topUps - charges
export const available = (row: Row): bigint => closing(row) - row.held

export interface Statement {
  readonly opened: (accountId: AccountId, time: number) => void
  readonly booked: (booked: Booked) => void
  /** In the order of opening, without accounts opened after the period. */
  readonly rows: ReadonlyMap<AccountId, Row>
}

const empty = (): Row => ({
  opening: 0n,
  topUps: 0n,
  charges: 0n,
  held: 0n,
  charged: 0,
  partial: 0,
  notBilled: 0
})

/** @param before The rows of the events that an earlier audit has covered. */
export const make = (period: Period.Period, before?: Iterable<readonly [AccountId, Row]>): Statement => {
  const rows = new Map<AccountId, Row>(before)

  const rowOf = (accountId: AccountId): Row => {
    const found = rows.get(accountId)
    if (found !== undefined) return found
    const row = empty()
    rows.set(accountId, row)
    return row
  }

  return {
    rows,
    opened: (accountId, time) => {
      if (!Period.isAfter(period, time)) rowOf(accountId)
    },
    booked: ({ accountId, billing, entries, event: { time } }) => {
      if (Period.isAfter(period, time)) return
      const row = rowOf(accountId)
      const isWithin = !Period.isBefore(period, time)
      for (const entry of entries) add(row, entry, isWithin)
      if (!isWithin || billing === null) return
      switch (billing) {
        case "charged":
          row.charged++
          break
        case "partial":
          row.partial++
          break
        case "failed":
          row.notBilled++
      }
    }
  }
}

/** The row of events that are all within the period, or all before it. */
export const carried = (
  { openHolds, totals: { charges, topUps, ...ended } }: AccountAudit.Account,
  isWithin: boolean
): Row =>
  isWithin
    ? { opening: 0n, topUps, charges, held: openHolds, ...ended }
    : { ...empty(), opening: topUps - charges, held: openHolds }

const add = (row: Row, { amount, kind }: Entry, isWithin: boolean): void => {
  switch (kind) {
    case "topup":
      if (isWithin) row.topUps += amount
      else row.opening += amount
      break
    case "hold":
      row.held += amount
      break
    case "charge":
      row.held -= amount
      if (isWithin) row.charges += amount
      else row.opening -= amount
      break
    case "release":
    case "revert":
      row.held -= amount
  }
}

export const total = (rows: Iterable<Row>): Row => {
  const sum = empty()
  for (const row of rows) {
    sum.opening += row.opening
    sum.topUps += row.topUps
    sum.charges += row.charges
    sum.held += row.held
    sum.charged += row.charged
    sum.partial += row.partial
    sum.notBilled += row.notBilled
  }
  return sum
}
