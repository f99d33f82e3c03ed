/** The entries of the ledger in the order of the log, and how many an account has of each kind. */
import type { DatabaseSync } from "node:sqlite"
import type { AccountId } from "#domain/Ids.ts"
import type { EntryKind } from "#domain/Ledger.ts"
import * as Counters from "../batch/Counters.ts"
import type { Kept } from "../Projection.ts"

/**
 * `entry_id` rises with the log and ends both indexes: within a kind, and within a request, entries are in the order of
 * the lists. `balance_after` is of the account, what is held included.
 */
export const tables = `
  CREATE TABLE ledger_entries (
    entry_id INTEGER PRIMARY KEY,
    position TEXT NOT NULL,
    ordinal INTEGER NOT NULL,
    account_id TEXT NOT NULL,
    request_id TEXT,
    model TEXT,
    kind TEXT NOT NULL,
    amount TEXT NOT NULL,
    balance_after TEXT NOT NULL,
    created_at INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX ledger_by_account ON ledger_entries (account_id, kind);
  CREATE INDEX ledger_by_request ON ledger_entries (request_id) WHERE request_id IS NOT NULL;
  CREATE TABLE ledger_counters (
    account_id TEXT NOT NULL,
    kind TEXT NOT NULL,
    entries INTEGER NOT NULL,
    PRIMARY KEY (account_id, kind)
  ) STRICT, WITHOUT ROWID;
`

/** Amounts are nano-USD. */
export interface EntryRow {
  readonly position: string
  /** Place among the entries of its event, from 0. */
  readonly ordinal: number
  readonly accountId: AccountId
  readonly requestId: string | null
  readonly model: string | null
  readonly kind: EntryKind
  readonly amount: bigint
  readonly balanceAfter: bigint
  /** Unix time in ms. */
  readonly createdAt: number
}

export interface Entries extends Kept {
  readonly add: (row: EntryRow) => void
}

/** In no id and no word. */
const separator = "\0"

export const make = (db: DatabaseSync): Entries => {
  const insert = db.prepare("INSERT INTO ledger_entries VALUES (NULL, ?, ?, ?, ?, ?, ?, ?, ?, ?)")
  const count = db.prepare(`INSERT INTO ledger_counters VALUES (?, ?, ?)
    ON CONFLICT (account_id, kind) DO UPDATE SET entries = entries + excluded.entries`)
  const counters = Counters.make((name, change) => {
    const [accountId = "", kind = ""] = name.split(separator)
    count.run(accountId, kind, change)
  })
  let added: Array<EntryRow> = []

  const write = (row: EntryRow) => {
    const { position, ordinal, accountId, requestId, model, kind, createdAt } = row
    const amounts = [String(row.amount), String(row.balanceAfter)] as const
    insert.run(position, ordinal, accountId, requestId, model, kind, ...amounts, createdAt)
    counters.add(accountId + separator + kind, 1)
  }

  return {
    add: (row) => {
      added.push(row)
    },
    write: () => {
      for (const row of added) write(row)
      added = []
      counters.write()
    },
    forget: () => {
      added = []
      counters.forget()
    }
  }
}
