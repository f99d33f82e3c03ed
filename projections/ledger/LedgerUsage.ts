/**
 * Charges summed by hour, day and month, and the spending of each key in its last month. A batch with a thousand charges in
 * an hour writes each of its rows once.
 */
import type { DatabaseSync } from "node:sqlite"
import { Granularity, startOf } from "#domain/CalendarTime.ts"
import type { AccountId, KeyId } from "#domain/Ids.ts"
import type { NanoUsd, Quantity } from "#domain/Money.ts"
import { integer, text } from "../batch/Columns.ts"
import * as CompositeKey from "../batch/CompositeKey.ts"
import * as Rows from "../batch/Rows.ts"
import type { BatchBuffer } from "../Projection.ts"

/**
 * Each sum is stored for its key and for all keys of the account (`everyKey`), so that a query reads one contiguous range
 * and adds nothing up. Quantities are millionths and costs nano-USD, both as text. Buckets and months are their start, Unix
 * time in ms.
 */
export const tables = `
  CREATE TABLE ledger_usage (
    account_id TEXT NOT NULL,
    key_id TEXT NOT NULL,
    granularity TEXT NOT NULL,
    bucket INTEGER NOT NULL,
    model TEXT NOT NULL,
    unit TEXT NOT NULL,
    requests INTEGER NOT NULL,
    quantity TEXT NOT NULL,
    cost TEXT NOT NULL,
    PRIMARY KEY (account_id, key_id, granularity, bucket, model, unit)
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE ledger_spending (
    account_id TEXT NOT NULL,
    key_id TEXT NOT NULL,
    month INTEGER NOT NULL,
    spent TEXT NOT NULL,
    PRIMARY KEY (account_id, key_id)
  ) STRICT, WITHOUT ROWID;
`

/** The `key_id` of sums over all keys. */
export const everyKey = ""

/** The charge of a request. */
interface Charge {
  readonly accountId: AccountId
  readonly keyId: KeyId
  readonly model: string
  /** The unit of `quantity`. */
  readonly unit: string
  readonly quantity: Quantity
  readonly cost: NanoUsd
  /** Unix time in ms. */
  readonly at: number
}

export interface Usage extends BatchBuffer {
  readonly add: (charge: Charge) => void
}

interface Sum {
  requests: number
  quantity: bigint
  cost: bigint
}

interface Spending {
  month: number
  spent: bigint
}

const makeSums = (db: DatabaseSync): Rows.Rows<Sum, string> => {
  const where = "account_id = ? AND key_id = ? AND granularity = ? AND bucket = ? AND model = ? AND unit = ?"
  const find = db.prepare(`SELECT requests, quantity, cost FROM ledger_usage WHERE ${where}`)
  const insert = db.prepare("INSERT INTO ledger_usage VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)")
  const update = db.prepare(`UPDATE ledger_usage SET requests = ?, quantity = ?, cost = ? WHERE ${where}`)
  return Rows.make<Sum, string>({
    keeps: true,
    load: (key) => {
      const columns = find.get(...CompositeKey.partsOf(key))
      return (
        columns && {
          requests: integer(columns["requests"]),
          quantity: BigInt(text(columns["quantity"])),
          cost: BigInt(text(columns["cost"]))
        }
      )
    },
    insert: (key, { requests, quantity, cost }) =>
      insert.run(...CompositeKey.partsOf(key), requests, String(quantity), String(cost)),
    update: (key, { requests, quantity, cost }) =>
      update.run(requests, String(quantity), String(cost), ...CompositeKey.partsOf(key)),
    // Sums are never removed.
    remove: () => {}
  })
}

const makeSpending = (db: DatabaseSync): Rows.Rows<Spending, string> => {
  const find = db.prepare("SELECT month, spent FROM ledger_spending WHERE account_id = ? AND key_id = ?")
  const insert = db.prepare("INSERT INTO ledger_spending VALUES (?, ?, ?, ?)")
  const update = db.prepare(
    "UPDATE ledger_spending SET month = ?, spent = ? WHERE account_id = ? AND key_id = ?"
  )
  return Rows.make<Spending, string>({
    keeps: true,
    load: (key) => {
      const columns = find.get(...CompositeKey.partsOf(key))
      return columns && { month: integer(columns["month"]), spent: BigInt(text(columns["spent"])) }
    },
    insert: (key, { month, spent }) => insert.run(...CompositeKey.partsOf(key), month, String(spent)),
    update: (key, { month, spent }) => update.run(month, String(spent), ...CompositeKey.partsOf(key)),
    remove: () => {}
  })
}

export const make = (db: DatabaseSync): Usage => {
  const sums = makeSums(db)
  const spending = makeSpending(db)
  /** Charges of the batch by account, key, hour, model and unit. The rows follow from these when the batch is written. */
  const charged = new Map<string, Sum & Pick<Charge, "accountId" | "keyId" | "model" | "unit" | "at">>()

  const addTo = (key: string, { requests, quantity, cost }: Sum) => {
    const row = sums.edit(key)
    if (row === undefined) return sums.add(key, { requests, quantity, cost })
    row.requests += requests
    row.quantity += quantity
    row.cost += cost
  }

  const spend = (key: string, month: number, cost: bigint) => {
    const row = spending.edit(key)
    if (row === undefined) return spending.add(key, { month, spent: cost })
    if (month < row.month) return
    row.spent = month > row.month ? cost : row.spent + cost
    row.month = month
  }

  const forget = () => {
    charged.clear()
    sums.forget()
    spending.forget()
  }

  return {
    add: ({ accountId, keyId, model, unit, quantity, cost, at }) => {
      const key = CompositeKey.of(accountId, keyId, startOf("hour", at), model, unit)
      const found = charged.get(key)
      if (found === undefined) {
        charged.set(key, { accountId, keyId, model, unit, at, requests: 1, quantity, cost })
        return
      }
      found.requests++
      found.quantity += quantity
      found.cost += cost
    },
    write: () => {
      for (const sum of charged.values()) {
        const { accountId, at, cost, keyId, model, unit } = sum
        for (const granularity of Granularity.literals) {
          const bucket = startOf(granularity, at)
          for (const key of [keyId, everyKey])
            addTo(CompositeKey.of(accountId, key, granularity, bucket, model, unit), sum)
        }
        spend(CompositeKey.of(accountId, keyId), startOf("month", at), cost)
      }
      charged.clear()
      sums.write()
      spending.write()
    },
    forget
  }
}
