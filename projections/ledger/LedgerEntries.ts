/** The entries of the ledger in the order of the log. The entries of an account of one kind form a list with a counter. */
import type { DatabaseSync } from "node:sqlite"
import type { AccountId } from "#domain/Ids.ts"
import type { EntryKind } from "#domain/Ledger.ts"
import * as RowInserts from "#streams/sqlite/thread/RowInserts.ts"
import { integer } from "../batch/Columns.ts"
import type { BatchBuffer } from "../Projection.ts"

/**
 * `entry_id` rises with the log and ends both indexes, so that entries of a list or of a request are in the order of the
 * log. Lists have numbers, so that their index, which grows in the middle, stays small and is searched by integers.
 * `balance_after` includes reserved amounts.
 */
export const tables = `
  CREATE TABLE ledger_lists (
    list INTEGER PRIMARY KEY,
    account_id TEXT NOT NULL,
    kind TEXT NOT NULL,
    entries INTEGER NOT NULL,
    UNIQUE (account_id, kind)
  ) STRICT;
  CREATE TABLE ledger_entries (
    entry_id INTEGER PRIMARY KEY,
    list INTEGER NOT NULL,
    position TEXT NOT NULL,
    ordinal INTEGER NOT NULL,
    request_id TEXT,
    model TEXT,
    amount TEXT NOT NULL,
    balance_after TEXT NOT NULL,
    created_at INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX ledger_by_list ON ledger_entries (list);
  CREATE INDEX ledger_by_request ON ledger_entries (request_id) WHERE request_id IS NOT NULL;
`

/** Amounts are nano-USD. */
interface EntryRow {
  readonly position: string
  /** Position among the entries of its event, from 0. */
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

export interface Entries extends BatchBuffer {
  readonly add: (row: EntryRow) => void
}

interface List {
  readonly number: number
  /** The number of entries that the batch added. */
  added: number
}

export const make = (db: DatabaseSync): Entries => {
  const inserts = RowInserts.make(db, "ledger_entries", 9)
  const find = db.prepare("SELECT list FROM ledger_lists WHERE account_id = ? AND kind = ?")
  const create = db.prepare("INSERT INTO ledger_lists VALUES (NULL, ?, ?, 0) RETURNING list")
  const lengthen = db.prepare("UPDATE ledger_lists SET entries = entries + ? WHERE list = ?")
  /** Lists that the batch added to. */
  const lists = new Map<AccountId, Map<EntryKind, List>>()

  const listOf = (accountId: AccountId, kind: EntryKind): List => {
    const ofAccount = lists.get(accountId) ?? new Map<EntryKind, List>()
    const found = ofAccount.get(kind)
    if (found !== undefined) return found
    const columns = find.get(accountId, kind) ?? create.get(accountId, kind)
    const list = { number: integer(columns?.["list"]), added: 0 }
    lists.set(accountId, ofAccount.set(kind, list))
    return list
  }

  return {
    add: ({ position, ordinal, accountId, requestId, model, kind, amount, balanceAfter, createdAt }) => {
      const list = listOf(accountId, kind)
      const amounts = [String(amount), String(balanceAfter)] as const
      inserts.add(null, list.number, position, ordinal, requestId, model, ...amounts, createdAt)
      list.added++
    },
    write: () => {
      inserts.flush()
      for (const ofAccount of lists.values())
        for (const { number, added } of ofAccount.values()) lengthen.run(added, number)
      lists.clear()
    },
    forget: () => {
      inserts.discard()
      lists.clear()
    }
  }
}
