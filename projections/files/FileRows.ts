/** The rows of files. */
import type { DatabaseSync } from "node:sqlite"
import * as RowInserts from "#streams/sqlite/thread/RowInserts.ts"
import { idOf } from "#streams/StreamName.ts"
import { type Columns, integer, integerOrNull, text, textOrNull } from "../batch/Columns.ts"
import * as Rows from "../batch/Rows.ts"
import { FileStatus } from "./FileItem.ts"

/**
 * Files that are neither deleted nor expired. Lists show uploads or outputs in the order of `created_at, file_id`: `by_list`
 * has all types, `by_kind` and `by_essence` those of a type filter, `by_purpose` those of a purpose, `by_request` those of one request. Lists leave out
 * thumbnails. `essence` is the content type without parameters, `kind` its part up to the slash. `pending` has the pending
 * uploads of each account, `singles` all uploads in one PUT by time, complete or not.
 */
export const tables = `
  CREATE TABLE files_files (
    file_id TEXT PRIMARY KEY,
    account_id TEXT NOT NULL,
    source TEXT NOT NULL CHECK (source IN ('upload', 'output', 'thumbnail')),
    request_id TEXT,
    file_name TEXT,
    name_hash TEXT,
    name_size INTEGER,
    content_type TEXT NOT NULL,
    kind TEXT NOT NULL,
    essence TEXT NOT NULL,
    purpose TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    is_single INTEGER NOT NULL CHECK (is_single IN (0, 1)),
    status TEXT NOT NULL CHECK (status IN ('pending', 'uploaded')),
    size INTEGER,
    sha256 TEXT,
    uploaded_at INTEGER,
    expires_at INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX files_by_list ON files_files (account_id, source, created_at) WHERE source <> 'thumbnail';
  CREATE INDEX files_by_kind ON files_files (account_id, source, kind, created_at) WHERE source <> 'thumbnail';
  CREATE INDEX files_by_essence ON files_files (account_id, source, essence, created_at) WHERE source <> 'thumbnail';
  CREATE INDEX files_by_purpose ON files_files (account_id, source, purpose, created_at) WHERE source <> 'thumbnail';
  CREATE INDEX files_by_request ON files_files (request_id, created_at) WHERE source = 'output';
  CREATE INDEX files_of_account ON files_files (account_id);
  CREATE INDEX files_by_time ON files_files (expires_at);
  CREATE INDEX files_pending ON files_files (account_id, is_single, created_at, size) WHERE status = 'pending';
  CREATE INDEX files_singles ON files_files (created_at) WHERE is_single = 1;
`

const sources = ["upload", "output", "thumbnail"] as const
type Source = (typeof sources)[number]

/** The fields of the first event, which never change. Times are Unix time in ms. */
interface Origin {
  readonly accountId: string
  readonly source: Source
  readonly requestId: string | null
  readonly fileName: string | null
  /** The payload with the client's name of the file. */
  readonly nameRef: { readonly hash: string; readonly size: number } | null
  readonly contentType: string
  readonly kind: string
  readonly essence: string
  readonly purpose: string
  readonly createdAt: number
  /** Whether the file is an upload in one PUT. */
  readonly isSingle: boolean
}

export interface FileRow extends Origin {
  status: FileStatus
  /** Bytes. While the file is pending, the declared size. */
  size: number | null
  sha256: string | null
  uploadedAt: number | null
  expiresAt: number
}

export const make = (db: DatabaseSync): Rows.Rows<FileRow> => {
  const find = db.prepare("SELECT * FROM files_files WHERE file_id = ?")
  const inserts = RowInserts.make(db, "files_files", 18)
  const update = db.prepare(`UPDATE files_files
    SET status = ?, size = ?, sha256 = ?, uploaded_at = ?, expires_at = ? WHERE file_id = ?`)
  const remove = db.prepare("DELETE FROM files_files WHERE file_id = ?")

  const changing = (row: FileRow) =>
    [row.status, row.size, row.sha256, row.uploadedAt, row.expiresAt] as const

  return Rows.make({
    inserts,
    load: (stream) => {
      const columns = find.get(idOf(stream))
      return columns && rowOf(columns)
    },
    insert: (stream, row) =>
      inserts.add(
        idOf(stream),
        row.accountId,
        row.source,
        row.requestId,
        row.fileName,
        row.nameRef?.hash ?? null,
        row.nameRef?.size ?? null,
        row.contentType,
        row.kind,
        row.essence,
        row.purpose,
        row.createdAt,
        row.isSingle ? 1 : 0,
        ...changing(row)
      ),
    update: (stream, row) => update.run(...changing(row), idOf(stream)),
    remove: (stream) => remove.run(idOf(stream))
  })
}

const wordOf = <Word extends string>(words: ReadonlyArray<Word>, column: Columns[string] | undefined) =>
  words.find((word) => word === column)

const rowOf = (columns: Columns): FileRow => ({
  accountId: text(columns["account_id"]),
  source: wordOf(sources, columns["source"]) ?? "upload",
  requestId: textOrNull(columns["request_id"]),
  fileName: textOrNull(columns["file_name"]),
  nameRef: nameRefOf(columns),
  contentType: text(columns["content_type"]),
  kind: text(columns["kind"]),
  essence: text(columns["essence"]),
  purpose: text(columns["purpose"]),
  createdAt: integer(columns["created_at"]),
  isSingle: columns["is_single"] === 1,
  status: wordOf(FileStatus.literals, columns["status"]) ?? "pending",
  size: integerOrNull(columns["size"]),
  sha256: textOrNull(columns["sha256"]),
  uploadedAt: integerOrNull(columns["uploaded_at"]),
  expiresAt: integer(columns["expires_at"])
})

const nameRefOf = (columns: Columns): Origin["nameRef"] => {
  const hash = textOrNull(columns["name_hash"])
  return hash === null ? null : { hash, size: integer(columns["name_size"]) }
}
