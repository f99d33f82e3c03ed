/**
 * The statements behind lists of requests with given metadata. They walk the key of `history_metadata` for one entry, and
 * look the others up in it: the tests hold their plans. None reads more of it than its slice, or the steps that it is told.
 */
import type { SqlClient } from "effect/sql/SqlClient"
import type { Entry, Filter, Part, PageKey, Slice } from "./HistoryFilter.ts"
import { columns, ofModels, statusesOf, within } from "./HistoryQueries.ts"

/** The entry whose requests are gone through, and those that are looked up. */
export type Walk = readonly [Entry, ...Array<Entry>]

const ofEntry = (sql: SqlClient, { accountId }: Filter, [key, value]: Entry) =>
  sql`account_id = ${accountId} AND key = ${key} AND value = ${value}`

/**
 * The end of the slice behind `after`: of the places that are `steps` behind it in the lists of each status, the newest one,
 * so that no list has more in the slice. No row when no list has so many.
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

/** Those of the slice that the filter lets through. */
const found = (sql: SqlClient, filter: Filter, [entry, ...others]: Walk, slice: Slice) => [
  ofEntry(sql, filter, entry),
  ...ofModels(sql, filter),
  ...within(sql, filter, slice),
  // As a value: EXISTS may be made a join, and its order is not ours then.
  ...others.map(
    ([key, value]) => sql`(
      SELECT 1 FROM history_metadata AS other
      WHERE other.account_id = ${filter.accountId} AND other.key = ${key} AND other.value = ${value}
        AND other.status = walked.status AND other.created_at = walked.created_at
        AND other.request_id = walked.request_id) IS NOT NULL`
  )
]

/** How many of the slice there are. */
export const count = (sql: SqlClient, filter: Filter, walk: Walk, slice: Slice) => sql`
  SELECT count(*) AS total FROM history_metadata AS walked
  WHERE ${sql.and([...found(sql, filter, walk, slice), sql.in("status", statusesOf(filter))])}`

/** The requests of a slice, merged from all statuses, `offset` behind the first of them. */
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
