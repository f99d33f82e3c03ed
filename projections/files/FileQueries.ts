/**
 * The statements of `Files`. Unless noted, each walks a key or an index of `FileRows` in the order of its result and stops
 * at the limit. Tests check their query plans.
 */
import type { SqlClient } from "effect/sql/SqlClient"
import type { Part } from "../Page.ts"
import { FileSource } from "./FileItem.ts"
import type { Filter, PageKey } from "./FileFilter.ts"
import { kindMeantBy, kindOf } from "./FileTypes.ts"

const columns = `file_id AS "fileId", account_id AS "accountId", file_name AS "fileName",
  CASE WHEN name_hash IS NOT NULL THEN json_object('hash', name_hash, 'size', name_size) END AS "nameRef",
  content_type AS "contentType", size, status, source, purpose, request_id AS "requestId", sha256,
  created_at AS "createdAt", uploaded_at AS "uploadedAt", expires_at AS "expiresAt"`

/** A part of a list of ids. */
interface Ids {
  readonly after: string | null
  readonly limit: number
}

const bySource = (sql: SqlClient, { source }: Filter) =>
  source === undefined ? sql.in("source", FileSource.literals) : sql`source = ${source}`

const behind = (sql: SqlClient, { order }: Filter, after: PageKey | null) => {
  if (after === null) return []
  const comparison = sql.literal(order === "asc" ? ">" : "<")
  return [sql`(created_at, file_id) ${comparison} (${after.createdAt}, ${after.fileId})`]
}

const inOrder = (sql: SqlClient, { order }: Filter) =>
  sql.literal(order === "asc" ? "created_at ASC, file_id ASC" : "created_at DESC, file_id DESC")

const ofPurpose = (sql: SqlClient, { purpose }: Filter) =>
  purpose === undefined ? [] : [sql`purpose = ${purpose}`]

const byType = (sql: SqlClient, { contentType }: Filter) => {
  if (contentType === undefined) return []
  const kind = kindMeantBy(contentType)
  return [kind === null ? sql`essence = ${contentType}` : sql`kind = ${kind}`]
}

/**
 * The index that has matching files in the order of the list. No route filters by a purpose and a type together: then the
 * rows of the purpose are read.
 */
const indexOf = ({ contentType, purpose }: Filter) => {
  if (purpose !== undefined) return "files_by_purpose"
  if (contentType === undefined) return "files_by_list"
  return kindMeantBy(contentType) === null ? "files_by_essence" : "files_by_kind"
}

const ofKind = (sql: SqlClient, { contentType }: Filter) =>
  contentType === undefined ? [] : [sql`kind = ${kindMeantBy(contentType) ?? kindOf(contentType)}`]

export const sumCounters = (sql: SqlClient, filter: Filter) => sql`
  SELECT coalesce(sum(files), 0) AS total FROM files_counters WHERE ${sql.and([
    sql`account_id = ${filter.accountId}`,
    bySource(sql, filter),
    ...ofKind(sql, filter),
    ...byType(sql, filter),
    ...ofPurpose(sql, filter)
  ])}`

const byRequest = (sql: SqlClient, filter: Filter) => [
  sql`request_id = ${filter.requestId ?? null} AND source = 'output'`,
  sql`account_id = ${filter.accountId}`,
  bySource(sql, filter),
  ...byType(sql, filter),
  ...ofPurpose(sql, filter)
]

/** For filters that name a request, because a request has few files. */
export const countOfRequest = (sql: SqlClient, filter: Filter) => sql`
  SELECT count(*) AS total FROM files_files INDEXED BY files_by_request
  WHERE ${sql.and(byRequest(sql, filter))}`

/** See `countOfRequest`. */
export const ofRequest = (sql: SqlClient, filter: Filter, { after, offset, limit }: Part<PageKey>) => sql`
  SELECT ${sql.literal(columns)} FROM files_files INDEXED BY files_by_request
  WHERE ${sql.and([...byRequest(sql, filter), ...behind(sql, filter, after)])}
  ORDER BY ${inOrder(sql, filter)} LIMIT ${limit} OFFSET ${offset}`

/** Skips entries of one index alone, merged from uploads and outputs, then reads the rows of one page. */
export const pageOf = (sql: SqlClient, filter: Filter, { after, offset, limit }: Part<PageKey>) => {
  const sources = filter.source === undefined ? FileSource.literals : [filter.source]
  const entries = sources.map(
    (source) => sql`
    SELECT created_at, file_id FROM files_files INDEXED BY ${sql.literal(indexOf(filter))}
    WHERE ${sql.and([
      sql`account_id = ${filter.accountId} AND source = ${source} AND source <> 'thumbnail'`,
      ...byType(sql, filter),
      ...ofPurpose(sql, filter),
      ...behind(sql, filter, after)
    ])}`
  )
  return sql`
    SELECT ${sql.literal(columns)} FROM files_files WHERE file_id IN (
      SELECT file_id FROM (
        ${sql.join(" UNION ALL ", false)(entries)}
        ORDER BY ${inOrder(sql, filter)} LIMIT ${limit} OFFSET ${offset}
      )
    ) ORDER BY ${inOrder(sql, filter)}`
}

/**
 * Reads the entries of all pending uploads. Clients may declare any size, so the sum is capped at the largest exact number.
 */
export const bytesOf = (
  sql: SqlClient,
  accountId: string,
  { singlesSince }: { readonly singlesSince: number }
) => {
  const pending = sql`
    SELECT size FROM files_files INDEXED BY files_pending WHERE account_id = ${accountId} AND status = 'pending'`
  return sql`
    SELECT min(total(bytes), ${Number.MAX_SAFE_INTEGER}) AS total FROM (
      SELECT bytes FROM files_bytes WHERE account_id = ${accountId}
      UNION ALL ${pending} AND is_single = 0
      UNION ALL ${pending} AND is_single = 1 AND created_at > ${singlesSince}
    )`
}

/** Reads the entries of all expired files, which are few unless the server was down. */
export const expired = (sql: SqlClient, { after, limit, now }: Ids & { readonly now: number }) => sql`
  SELECT file_id AS "fileId" FROM files_files INDEXED BY files_by_time
  WHERE expires_at <= ${now} AND file_id > ${after ?? ""} ORDER BY file_id LIMIT ${limit}`

export const removals = (sql: SqlClient, { after, limit }: Ids) => sql`
  SELECT file_id AS "fileId" FROM files_removals
  WHERE file_id > ${after ?? ""} ORDER BY file_id LIMIT ${limit}`

/** Each page reads the entries of all uploads announced in that time. */
export const singles = (
  sql: SqlClient,
  {
    after,
    announcedAfter,
    announcedBy,
    limit
  }: Ids & { readonly announcedAfter: number; readonly announcedBy: number }
) => sql`
  SELECT file_id AS "fileId" FROM files_files INDEXED BY files_singles
  WHERE is_single = 1 AND created_at > ${announcedAfter} AND created_at <= ${announcedBy}
    AND file_id > ${after ?? ""} ORDER BY file_id LIMIT ${limit}`

export const ofAccount = (
  sql: SqlClient,
  { accountId, after, limit }: Ids & { readonly accountId: string }
) => sql`
  SELECT file_id AS "fileId" FROM files_files INDEXED BY files_of_account
  WHERE account_id = ${accountId} AND file_id > ${after ?? ""} ORDER BY file_id LIMIT ${limit}`
