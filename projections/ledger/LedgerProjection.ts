/** The ledger as rows: entries, balances, holds and usage (architecture, "Billing"). */
import type { AccountId } from "#domain/Ids.ts"
import { type Entry, entriesOf, type EntryKind } from "#domain/Ledger.ts"
import type { RecordedEvent } from "#streams/RecordedEvent.ts"
import { object, text } from "../EventFields.ts"
import type { Projection } from "../Projection.ts"
import * as LedgerEntries from "./LedgerEntries.ts"
import * as LedgerOpen from "./LedgerOpen.ts"
import * as LedgerRows from "./LedgerRows.ts"
import * as LedgerUsage from "./LedgerUsage.ts"
import * as MoneyEvents from "./MoneyEvents.ts"

/** The account and request of an event's entries. */
interface Party {
  readonly accountId: AccountId
  readonly requestId: string | null
  readonly model: string | null
}

/** The changes per nano-USD of an entry. */
const changes: Record<EntryKind, { readonly balance: bigint; readonly reserved: bigint }> = {
  topup: { balance: 1n, reserved: 0n },
  hold: { balance: 0n, reserved: 1n },
  charge: { balance: -1n, reserved: -1n },
  release: { balance: 0n, reserved: -1n },
  revert: { balance: 0n, reserved: -1n }
}

export const projection: Projection = {
  name: "ledger",
  version: 3,
  tables: LedgerRows.tables + LedgerOpen.tables + LedgerEntries.tables + LedgerUsage.tables,
  open: (db) => {
    const balances = LedgerRows.makeBalances(db)
    const holds = LedgerRows.makeHolds(db)
    const open = LedgerOpen.make(db)
    const entries = LedgerEntries.make(db)
    const usage = LedgerUsage.make(db)
    const setLimits = db.prepare("INSERT OR REPLACE INTO ledger_limits VALUES (?, ?, ?)")

    const balanceOf = (accountId: AccountId): LedgerRows.BalanceRow => {
      const found = balances.edit(accountId)
      if (found !== undefined) return found
      const row = { balance: 0n, reserved: 0n, updatedAt: 0 }
      balances.add(accountId, row)
      return row
    }

    const book = ({ position, time }: RecordedEvent, party: Party, booked: ReadonlyArray<Entry>) => {
      if (booked.length === 0) return
      const row = balanceOf(party.accountId)
      for (const [ordinal, { kind, amount }] of booked.entries()) {
        const change = changes[kind]
        row.balance += change.balance * amount
        row.reserved += change.reserved * amount
        const balanceAfter = row.balance
        entries.add({ ...party, position, ordinal, kind, amount, balanceAfter, createdAt: time })
      }
      row.updatedAt = time
    }

    const move = (event: RecordedEvent) => {
      const money = MoneyEvents.read(event)
      if (money === null) return
      switch (money._tag) {
        case "ToppedUp": {
          const { accountId } = money
          return book(event, { accountId, requestId: null, model: null }, entriesOf(money, undefined))
        }
        case "Held": {
          const { accountId, amount, requestId } = money
          const model = text(event.data, "model")
          const unit = text(object(event.data, "quote"), "unit")
          const hold = { accountId, keyId: MoneyEvents.keyOf(event), model, unit, amount }
          holds.add(event.stream, hold)
          open.add(hold)
          return book(event, { accountId, requestId, model }, entriesOf(money, undefined))
        }
        case "Captured":
        case "Released":
        case "Reverted": {
          const hold = holds.remove(event.stream)
          if (hold === undefined) return
          open.remove(hold)
          const { accountId, keyId, model, unit } = hold
          const charge = MoneyEvents.readCharge(event)
          if (charge !== null) usage.add({ ...charge, accountId, keyId, model, unit, at: event.time })
          return book(event, { accountId, requestId: money.requestId, model }, entriesOf(money, hold))
        }
      }
    }

    const limit = (event: RecordedEvent) => {
      const changed = MoneyEvents.readLimits(event)
      if (changed === null) return
      const { creditLimit, maxOpenRequests } = changed.limits
      setLimits.run(changed.accountId, String(creditLimit), maxOpenRequests)
    }

    return {
      rules: [
        ...MoneyEvents.types.map((type) => ({ type, apply: move })),
        { type: MoneyEvents.limitsType, apply: limit }
      ],
      buffers: [balances, holds, open, entries, usage]
    }
  }
}
