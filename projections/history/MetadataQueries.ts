/**
 * The statements of lists of requests with given metadata. They walk the key of `history_metadata` for one entry and look
 * the others up in it. Each reads only its slice or its number of steps. Tests check their query plans.
 */
import type { SqlClient } from "effect/sql/SqlClient"
import type { Entry, Filter, Part, PageKey, Slice } from "./HistoryFilter.ts"
import { columns, ofModels, statusesOf, within } from "./HistoryQueries.ts"

/** The entry whose requests are visited, and the entries that are looked up. */
export type Walk = readonly [Entry, ...Array<Entry>]

const ofEntry = (sql: SqlClient, { accountId }: Filter, [key, value]: Entry) =>
  sql`account_id = ${accountId} AND key = ${key} AND value = ${value}`

/**
 * The end of the slice after `after`: of the keys `steps` after it in the list of each status, the newest, so that no list
 * has more in the slice. No row when no list is that long.
 */
export const endOfSlice = (
  sql: SqlClient,
  filter: Filter,
  entry: Entry,
  { after, steps }: { readonly after: PageKey | null; readonly steps: number }
) => {
  const ends = statusesOf(filter).map(
    (status) => sql`
    SELECT * FROM (
      SELECT created_at, request_id FROM history_metadata
      WHERE ${sql.and([ofEntry(sql, filter, entry), sql`status = ${status}`, ...within(sql, filter, { after, until: null })])}
      ORDER BY created_at DESC, request_id DESC LIMIT 1 OFFSET ${steps - 1}
    )`
  )
  return sql`
  SELECT created_at AS "createdAt", request_id AS "requestId" FROM (${sql.join(" UNION ALL ", false)(ends)})
  ORDER BY created_at DESC, request_id DESC LIMIT 1`
}

/** The conditions for requests of the slice that match the filter. */
const found = (sql: SqlClient, filter: Filter, [entry, ...others]: Walk, slice: Slice) => [
  ofEntry(sql, filter, entry),
  ...ofModels(sql, filter),
  ...within(sql, filter, slice),
  // A scalar subquery, because SQLite may turn EXISTS into a join with another order.
  ...others.map(
    ([key, value]) => sql`(
      SELECT 1 FROM history_metadata AS other
      WHERE other.account_id = ${filter.accountId} AND other.key = ${key} AND other.value = ${value}
        AND other.status = walked.status AND other.created_at = walked.created_at
        AND other.request_id = walked.request_id) IS NOT NULL`
  )
]

/** Counts the matching requests of the slice. */
export const count = (sql: SqlClient, filter: Filter, walk: Walk, slice: Slice) => sql`
  SELECT count(*) AS total FROM history_metadata AS walked
  WHERE ${sql.and([...found(sql, filter, walk, slice), sql.in("status", statusesOf(filter))])}`

/** The matching requests of the slice, merged from all statuses, from `offset` on. */
export const requestsOf = (
  sql: SqlClient,
  filter: Filter,
  walk: Walk,
  slice: Slice,
  { limit, offset }: Pick<Part, "limit" | "offset">
) => {
  const lists = statusesOf(filter).map(
    (status) => sql`
    SELECT created_at, request_id FROM history_metadata AS walked
    WHERE ${sql.and([...found(sql, filter, walk, slice), sql`status = ${status}`])}`
  )
  return sql`
  SELECT request_id AS "requestId" FROM (
    ${sql.join(" UNION ALL ", false)(lists)} ORDER BY created_at DESC, request_id DESC LIMIT ${limit} OFFSET ${offset}
  )`
}

export const rowsOf = (sql: SqlClient, requestIds: ReadonlyArray<string>) => sql`
  SELECT ${sql.literal(columns)} FROM history_requests
  WHERE request_id IN (SELECT value FROM json_each(${JSON.stringify(requestIds)}))
  ORDER BY created_at DESC, request_id DESC`
