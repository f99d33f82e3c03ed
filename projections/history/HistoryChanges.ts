/**
 * All changes of requests' status in the order of the log, for live lists. They are stored in blocks, because a request has
 * three of them: as rows with an index of their own, they cost as much as all other rows of the history together.
 */
import type { DatabaseSync } from "node:sqlite"
import type { Status } from "#domain/inference-request/Status.ts"
import type { RecordedEvent } from "#streams/RecordedEvent.ts"
import * as RowInserts from "#streams/sqlite/thread/RowInserts.ts"
import { idOf } from "#streams/StreamName.ts"
import { integer, text } from "../batch/Columns.ts"
import type { BatchBuffer } from "../Projection.ts"

/** Changes per block: so many that few blocks need an entry for each account, and few enough to read a block for one. */
const blockSize = 128

/**
 * The number of a change (`change_id`) rises with the log without gaps, from 1. Block 0 has the changes 1 to 128, and so on.
 * `changes` is a JSON list of `[account id, request id, status, position]`. `history_change_accounts` has the blocks with
 * changes of an account.
 */
export const tables = `
  CREATE TABLE history_changes (block INTEGER PRIMARY KEY, changes TEXT NOT NULL) STRICT;
  CREATE TABLE history_change_accounts (
    account_id TEXT NOT NULL,
    block INTEGER NOT NULL,
    PRIMARY KEY (account_id, block)
  ) STRICT, WITHOUT ROWID;
`

/** The block of a change. */
export const blockOf = (changeId: number): number => Math.floor((changeId - 1) / blockSize)

/** The index of a change in its block. */
export const indexOf = (changeId: number): number => (changeId - 1) % blockSize

/** SQL for the number of the last change of a block. */
export const lastOf = `block * ${blockSize} + json_array_length(changes)`

/** SQL for the changes of `blocks`: SQL for a table with the columns of `history_changes`. Order by `block, item`. */
export const of = (blocks: string): string => `
  SELECT block, changes.key AS item, block * ${blockSize} + changes.key + 1 AS change_id,
    changes.value ->> 0 AS account_id, changes.value ->> 1 AS request_id, changes.value ->> 2 AS status,
    changes.value ->> 3 AS position
  FROM ${blocks} CROSS JOIN json_each(history_changes.changes) AS changes`

export interface HistoryChanges extends BatchBuffer {
  /** Returns its `change_id`. */
  readonly add: (accountId: string, status: Status, event: RecordedEvent) => number
}

interface Block {
  readonly number: number
  readonly changes: Array<unknown>
  /** The accounts of changes that the batch added. */
  readonly accounts: Set<string>
}

const emptyBlock = (number: number): Block => ({ number, changes: [], accounts: new Set() })

export const make = (db: DatabaseSync): HistoryChanges => {
  const find = db.prepare("SELECT block, changes FROM history_changes ORDER BY block DESC LIMIT 1")
  const put = db.prepare(`INSERT INTO history_changes VALUES (?, ?)
    ON CONFLICT (block) DO UPDATE SET changes = excluded.changes`)
  const listed = RowInserts.make(db, "history_change_accounts", 2, "IGNORE")
  /** The last block, and before it those that the batch filled. Empty until the first change after a start or rollback. */
  let blocks: Array<Block> = []

  const load = (): Block => {
    const row = find.get()
    if (row === undefined) return emptyBlock(0)
    const changes: Array<unknown> = JSON.parse(text(row["changes"]))
    return { number: integer(row["block"]), changes, accounts: new Set() }
  }

  const openBlock = (): Block => {
    const last = blocks.at(-1) ?? load()
    const open = last.changes.length < blockSize ? last : emptyBlock(last.number + 1)
    if (open !== blocks.at(-1)) blocks.push(open)
    return open
  }

  return {
    add: (accountId, status, { stream, position }) => {
      const { number, changes, accounts } = openBlock()
      accounts.add(accountId)
      return number * blockSize + changes.push([accountId, idOf(stream), status, position])
    },
    write: () => {
      for (const { number, changes, accounts } of blocks) {
        if (accounts.size === 0) continue
        put.run(number, JSON.stringify(changes))
        for (const accountId of accounts) listed.add(accountId, number)
        accounts.clear()
      }
      listed.flush()
      blocks = blocks.slice(-1)
    },
    forget: () => {
      listed.discard()
      blocks = []
    }
  }
}
