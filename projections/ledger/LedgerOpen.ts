/**
 * The number of open requests of each key, and the sum of their holds: a start reads as many rows as there are keys, however
 * many requests wait.
 */
import type { DatabaseSync } from "node:sqlite"
import { integer, text } from "../batch/Columns.ts"
import * as CompositeKey from "../batch/CompositeKey.ts"
import * as Rows from "../batch/Rows.ts"
import type { BatchBuffer } from "../Projection.ts"
import type { HoldRow } from "./LedgerRows.ts"

/** `held` is nano-USD as text. A key without open requests has no row. */
export const tables = `
  CREATE TABLE ledger_open (
    account_id TEXT NOT NULL,
    key_id TEXT NOT NULL,
    requests INTEGER NOT NULL,
    held TEXT NOT NULL,
    PRIMARY KEY (account_id, key_id)
  ) STRICT, WITHOUT ROWID;
`

interface OpenRow {
  requests: number
  /** nano-USD */
  held: bigint
}

export interface Open extends BatchBuffer {
  readonly add: (hold: HoldRow) => void
  readonly remove: (hold: HoldRow) => void
}

export const make = (db: DatabaseSync): Open => {
  const where = "account_id = ? AND key_id = ?"
  const find = db.prepare(`SELECT requests, held FROM ledger_open WHERE ${where}`)
  const insert = db.prepare("INSERT INTO ledger_open VALUES (?, ?, ?, ?)")
  const update = db.prepare(`UPDATE ledger_open SET requests = ?, held = ? WHERE ${where}`)
  const remove = db.prepare(`DELETE FROM ledger_open WHERE ${where}`)
  const rows = Rows.make<OpenRow, string>({
    keeps: true,
    load: (key) => {
      const columns = find.get(...CompositeKey.partsOf(key))
      return columns && { requests: integer(columns["requests"]), held: BigInt(text(columns["held"])) }
    },
    insert: (key, { requests, held }) => insert.run(...CompositeKey.partsOf(key), requests, String(held)),
    update: (key, { requests, held }) => update.run(requests, String(held), ...CompositeKey.partsOf(key)),
    remove: (key) => remove.run(...CompositeKey.partsOf(key))
  })
  const keyOf = ({ accountId, keyId }: HoldRow) => CompositeKey.of(accountId, keyId)
  return {
    add: (hold) => {
      const key = keyOf(hold)
      const row = rows.edit(key)
      if (row === undefined) return rows.add(key, { requests: 1, held: hold.amount })
      row.requests++
      row.held += hold.amount
    },
    remove: (hold) => {
      const key = keyOf(hold)
      const row = rows.edit(key)
      if (row === undefined) return
      row.requests--
      row.held -= hold.amount
      if (row.requests === 0) rows.remove(key)
    },
    write: rows.write,
    forget: rows.forget
  }
}
