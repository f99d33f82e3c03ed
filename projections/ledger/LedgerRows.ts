/** The rows of balances and holds, and the table of limits. */
import type { DatabaseSync } from "node:sqlite"
import { AccountId, KeyId } from "#domain/Ids.ts"
import { NanoUsd } from "#domain/Money.ts"
import * as RowInserts from "#streams/sqlite/thread/RowInserts.ts"
import { idOf } from "#streams/StreamName.ts"
import { integer, text } from "../batch/Columns.ts"
import * as Rows from "../batch/Rows.ts"

/**
 * Amounts are nano-USD as decimal text, here and in the entries: a SQLite integer ends at 9.2 billion USD, and Node reads
 * integers above 2^53 only when it reads all integers as bigint. SQL never sums amounts.
 */
export const tables = `
  CREATE TABLE ledger_balances (
    account_id TEXT PRIMARY KEY,
    balance TEXT NOT NULL,
    reserved TEXT NOT NULL,
    updated_at INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE ledger_holds (
    request_id TEXT PRIMARY KEY,
    account_id TEXT NOT NULL,
    key_id TEXT NOT NULL,
    model TEXT NOT NULL,
    unit TEXT NOT NULL,
    amount TEXT NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE ledger_limits (
    account_id TEXT PRIMARY KEY,
    credit_limit TEXT NOT NULL,
    max_open_requests INTEGER
  ) STRICT, WITHOUT ROWID;
`

/** Amounts are nano-USD. */
export interface BalanceRow {
  /** Includes `reserved`. */
  balance: bigint
  reserved: bigint
  /** Unix time in ms. */
  updatedAt: number
}

export interface HoldRow {
  readonly accountId: AccountId
  /** The key that submitted the request. */
  readonly keyId: KeyId
  readonly model: string
  /** The billing unit. */
  readonly unit: string
  readonly amount: NanoUsd
}

export const makeBalances = (db: DatabaseSync): Rows.Rows<BalanceRow, AccountId> => {
  const find = db.prepare("SELECT * FROM ledger_balances WHERE account_id = ?")
  const insert = db.prepare("INSERT INTO ledger_balances VALUES (?, ?, ?, ?)")
  const update = db.prepare(
    "UPDATE ledger_balances SET balance = ?, reserved = ?, updated_at = ? WHERE account_id = ?"
  )
  const remove = db.prepare("DELETE FROM ledger_balances WHERE account_id = ?")
  return Rows.make({
    keeps: true,
    load: (accountId) => {
      const columns = find.get(accountId)
      return (
        columns && {
          balance: BigInt(text(columns["balance"])),
          reserved: BigInt(text(columns["reserved"])),
          updatedAt: integer(columns["updated_at"])
        }
      )
    },
    insert: (accountId, { balance, reserved, updatedAt }) =>
      insert.run(accountId, String(balance), String(reserved), updatedAt),
    update: (accountId, { balance, reserved, updatedAt }) =>
      update.run(String(balance), String(reserved), updatedAt, accountId),
    remove: (accountId) => remove.run(accountId)
  })
}

/** Holds by the stream of their request. A hold that is added and removed within a batch is never written. */
export const makeHolds = (db: DatabaseSync): Rows.Rows<HoldRow> => {
  const find = db.prepare("SELECT * FROM ledger_holds WHERE request_id = ?")
  const inserts = RowInserts.make(db, "ledger_holds", 6)
  const remove = db.prepare("DELETE FROM ledger_holds WHERE request_id = ?")
  return Rows.make({
    keeps: true,
    inserts,
    load: (stream) => {
      const columns = find.get(idOf(stream))
      return (
        columns && {
          accountId: AccountId.make(text(columns["account_id"])),
          keyId: KeyId.make(text(columns["key_id"])),
          model: text(columns["model"]),
          unit: text(columns["unit"]),
          amount: NanoUsd.make(BigInt(text(columns["amount"])))
        }
      )
    },
    insert: (stream, { accountId, keyId, model, unit, amount }) =>
      inserts.add(idOf(stream), accountId, keyId, model, unit, String(amount)),
    // A hold never changes.
    update: () => {},
    remove: (stream) => remove.run(idOf(stream))
  })
}
