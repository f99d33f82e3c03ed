/** The number of an account's files by source, type and purpose, and the bytes of its uploaded files. Thumbnails do not count. */
import type { DatabaseSync } from "node:sqlite"
import * as CompositeKey from "../batch/CompositeKey.ts"
import * as CounterTable from "../batch/CounterTable.ts"
import { type BatchBuffer, combine } from "../Projection.ts"
import type { FileRow } from "./FileRows.ts"

export const tables = `
  CREATE TABLE files_counters (
    account_id TEXT NOT NULL,
    source TEXT NOT NULL,
    kind TEXT NOT NULL,
    essence TEXT NOT NULL,
    purpose TEXT NOT NULL,
    files INTEGER NOT NULL,
    PRIMARY KEY (account_id, source, kind, essence, purpose)
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE files_bytes (account_id TEXT PRIMARY KEY, bytes INTEGER NOT NULL) STRICT, WITHOUT ROWID;
`

export interface FileCounters extends BatchBuffer {
  /** Counts a new file. */
  readonly add: (row: FileRow) => void
  /** Stops counting a file. */
  readonly remove: (row: FileRow) => void
  /** Counts the change from `before` (see `bytesOf`) to the current bytes. */
  readonly resize: (row: FileRow, before: number) => void
}

/** The bytes that count. */
export const bytesOf = ({ size, source, status }: FileRow): number =>
  status === "uploaded" && source !== "thumbnail" ? (size ?? 0) : 0

const nameOf = ({ accountId, essence, kind, purpose, source }: FileRow): string =>
  CompositeKey.of(accountId, source, kind, essence, purpose)

export const make = (db: DatabaseSync): FileCounters => {
  const columns = ["account_id", "source", "kind", "essence", "purpose"]
  const files = CounterTable.make(db, { table: "files_counters", columns, count: "files" })
  const bytes = CounterTable.make(db, { table: "files_bytes", columns: ["account_id"], count: "bytes" })

  const count = (row: FileRow, change: 1 | -1) => {
    if (row.source !== "thumbnail") files.add(nameOf(row), change)
    bytes.add(row.accountId, change * bytesOf(row))
  }

  return {
    add: (row) => count(row, 1),
    remove: (row) => count(row, -1),
    resize: (row, before) => bytes.add(row.accountId, bytesOf(row) - before),
    ...combine(files, bytes)
  }
}
