/**
 * The statements behind lists of requests with given metadata. They walk the key of `history_metadata` for one entry, and
 * look the others up in it: the tests hold their plans.
 */
import type { SqlClient } from "effect/sql/SqlClient"
import type { Status } from "#domain/inference-request/Status.ts"
import type { Entry, Filter, Part, Place } from "./HistoryFilter.ts"
import { behind, ofModels, rowsOf, statusesOf, within } from "./HistoryQueries.ts"

/** The entry whose requests are gone through, and those that are looked up. */
export type Walk = readonly [Entry, ...Array<Entry>]

/** An entry that more requests have than this is not told from one that more still have. */
const mostCounted = 1_000

/** How many requests have each entry, at most `mostCounted` and one. */
export const frequencies = (sql: SqlClient, { accountId }: Filter, entries: ReadonlyArray<Entry>) => {
  const counts = entries.map(
    ([key, value], index) => sql`
    SELECT ${index} AS "index", (
      SELECT count(*) FROM (
        SELECT 1 FROM history_metadata WHERE account_id = ${accountId} AND key = ${key} AND value = ${value}
        LIMIT ${mostCounted + 1}
      )
    ) AS requests`
  )
  return sql`${sql.join(" UNION ALL ", false)(counts)}`
}

/** Those of `walked` that have the `others` too. */
const having = (
  sql: SqlClient,
  filter: Filter,
  [[key, value], ...others]: Walk,
  statuses: ReadonlyArray<Status>
) => {
  const { accountId } = filter
  return [
    sql`account_id = ${accountId} AND key = ${key} AND value = ${value}`,
    statuses.length === 1 ? sql`status = ${statuses[0]}` : sql.in("status", statuses),
    ...ofModels(sql, filter),
    ...within(sql, filter),
    // As a value: EXISTS may be made a join, and its order is not ours then.
    ...others.map(
      ([key, value]) => sql`(
      SELECT 1 FROM history_metadata AS other
      WHERE other.account_id = ${accountId} AND other.key = ${key} AND other.value = ${value}
        AND other.status = walked.status AND other.created_at = walked.created_at
        AND other.request_id = walked.request_id) IS NOT NULL`
    )
  ]
}

/** Those of one status, behind a place: within it the key is in the order of the list. */
const listOf = (sql: SqlClient, filter: Filter, walk: Walk, status: Status, after: Place | null) => sql`
  SELECT created_at, request_id FROM history_metadata AS walked
  WHERE ${sql.and([...having(sql, filter, walk, [status]), ...behind(sql, after)])}`

const listsOf = (sql: SqlClient, filter: Filter, walk: Walk, after: Place | null) =>
  statusesOf(filter).map((status) => listOf(sql, filter, walk, status, after))

/** How many there are behind a place, at most `limit`. */
export const count = (sql: SqlClient, filter: Filter, walk: Walk, { after, limit }: Omit<Part, "offset">) => {
  const found = sql.and([...having(sql, filter, walk, statusesOf(filter)), ...behind(sql, after)])
  return sql`
  SELECT count(*) AS total FROM (SELECT 1 FROM history_metadata AS walked WHERE ${found} LIMIT ${limit})`
}

/** The place that is `steps` behind `after`, from 1; no row when there are fewer. */
export const placeBehind = (
  sql: SqlClient,
  filter: Filter,
  walk: Walk,
  { after, steps }: Pick<Part, "after"> & { readonly steps: number }
) => sql`
  SELECT created_at AS "createdAt", request_id AS "requestId" FROM (
    ${sql.join(" UNION ALL ", false)(listsOf(sql, filter, walk, after))}
    ORDER BY created_at DESC, request_id DESC LIMIT 1 OFFSET ${steps - 1}
  )`

/** Steps over those before the page, merged from all statuses. */
export const pageOf = (sql: SqlClient, filter: Filter, walk: Walk, { after, ...part }: Part) =>
  rowsOf(sql, listsOf(sql, filter, walk, after), part)
