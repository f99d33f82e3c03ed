/**
 * The statements of `History` except for metadata (`MetadataQueries`). Each walks an index of `HistoryRows` in the order of
 * the list, newest first, and stops at the limit, or reads only counters. Tests check their query plans.
 */
import type { SqlClient } from "effect/sql/SqlClient"
import type { RequestId } from "#domain/Ids.ts"
import { Status } from "#domain/inference-request/Status.ts"
import { hourMs } from "./HistoryCounters.ts"
import { type Bounds, type Filter, modelsOf, type Part, type PageKey, type Slice } from "./HistoryFilter.ts"
import type * as WholeHours from "./WholeHours.ts"

export const columns = `request_id AS "requestId", account_id AS "accountId", model, status, outcome, metadata,
  created_at AS "createdAt", started_at AS "startedAt", run_started_at AS "runStartedAt",
  inference_ms AS "inferenceMs", expected_ms AS "expectedMs", ended_at AS "endedAt", has_violations AS "hasViolations",
  is_cut AS "isCut", billing_status AS "billingStatus", amount, error, upstream, media, erased_at AS "erasedAt", position`

export const rowOf = (sql: SqlClient, requestId: RequestId) => sql`
  SELECT ${sql.literal(columns)} FROM history_requests WHERE request_id = ${requestId}`

export const statusesOf = ({ status }: Filter): ReadonlyArray<Status> =>
  status === undefined ? Status.literals : [status]

export const ofModels = (sql: SqlClient, filter: Filter) => {
  const models = modelsOf(filter)
  return models === null ? [] : [sql.in("model", models)]
}

/**
 * The part between the bounds of time, after `after` and up to `until`. Only the closer bound at each end is used, so that
 * the search in the index starts there. `until` is in the list and therefore within the bounds of time.
 */
export const within = (sql: SqlClient, { createdAfter, createdBefore }: Bounds, { after, until }: Slice) => {
  const isNewer = after !== null && (createdBefore === undefined || after.createdAt < createdBefore)
  return [
    ...(isNewer ? [sql`(created_at, request_id) < (${after.createdAt}, ${after.requestId})`] : []),
    ...(isNewer || createdBefore === undefined ? [] : [sql`created_at < ${createdBefore}`]),
    ...(until === null ? [] : [sql`(created_at, request_id) >= (${until.createdAt}, ${until.requestId})`]),
    ...(until !== null || createdAfter === undefined ? [] : [sql`created_at > ${createdAfter}`])
  ]
}

const ofAccount = (sql: SqlClient, { accountId }: Filter) => sql`account_id = ${accountId}`

/** Within a status, and a model if any is given, the index has the order of the list. */
const indexOf = (sql: SqlClient, filter: Filter) =>
  sql.literal(modelsOf(filter) === null ? "history_by_status" : "history_by_model")

const counted = (sql: SqlClient, filter: Filter) =>
  sql.and([ofAccount(sql, filter), ...ofModels(sql, filter), sql.in("status", statusesOf(filter))])

export const sumCounters = (sql: SqlClient, filter: Filter) => sql`
  SELECT coalesce(sum(requests), 0) AS total FROM history_counters WHERE ${counted(sql, filter)}`

/** Counts at most `limit` requests within the bounds and after `after`, and reads as many entries. */
export const countEntries = (
  sql: SqlClient,
  filter: Filter,
  { after, limit }: { readonly after: PageKey | null; readonly limit: number }
) => sql`
  SELECT count(*) AS total FROM (
    SELECT 1 FROM history_requests INDEXED BY ${indexOf(sql, filter)}
    WHERE ${sql.and([counted(sql, filter), ...within(sql, filter, { after, until: null })])} LIMIT ${limit}
  )`

/** The counters of hours, for each model and status of the account. */
const hours = (sql: SqlClient, filter: Filter, { first, last }: WholeHours.Range) => sql`
  history_counters CROSS JOIN history_hours USING (account_id, model, status)
  WHERE ${counted(sql, filter)} AND hour BETWEEN ${first} AND ${last}`

/** The number of requests in whole hours. */
export const sumHours = (sql: SqlClient, filter: Filter, whole: WholeHours.Range) => sql`
  SELECT coalesce(sum(history_hours.requests), 0) AS total FROM ${hours(sql, filter, whole)}`

/** The hour of the request at `offset` among those of the `whole` hours, and the number of requests in later hours. */
export const hourAt = (sql: SqlClient, filter: Filter, whole: WholeHours.Range, offset: number) => sql`
  SELECT hour, newer FROM (
    SELECT hour, sum(requests) OVER (ORDER BY hour DESC) - requests AS newer FROM (
      SELECT hour, sum(history_hours.requests) AS requests FROM ${hours(sql, filter, whole)} GROUP BY hour
    )
  ) WHERE newer <= ${offset} ORDER BY hour LIMIT 1`

/** The bound for requests created in the hour or before. */
export const upTo = (hour: number): number => (hour + 1) * hourMs

/** The lists that together make up the filtered list and have its order, as filters. */
export const listsOf = (filter: Filter): ReadonlyArray<Filter & { readonly status: Status }> => {
  const models = modelsOf(filter)?.map((model) => ({ ...filter, model })) ?? [filter]
  return models.flatMap((list) => statusesOf(filter).map((status) => ({ ...list, status })))
}

/** The index entries of each list, without the rows. */
const entries = (sql: SqlClient, filter: Filter, after: PageKey | null) =>
  listsOf(filter).map(
    (list) => sql`
    SELECT created_at, request_id FROM history_requests INDEXED BY ${indexOf(sql, list)}
    WHERE ${sql.and([
      ofAccount(sql, list),
      ...(list.model === undefined ? [] : [sql`model = ${list.model}`]),
      sql`status = ${list.status}`,
      ...within(sql, list, { after, until: null })
    ])}`
  )

/** The page key `steps` after `after`, from 1. No row when the list is shorter. Skips the entries in between. */
export const keyBehind = (
  sql: SqlClient,
  filter: Filter,
  { after, steps }: { readonly after: PageKey | null; readonly steps: number }
) => sql`
  SELECT created_at AS "createdAt", request_id AS "requestId" FROM (
    ${sql.join(" UNION ALL ", false)(entries(sql, filter, after))}
    ORDER BY created_at DESC, request_id DESC LIMIT 1 OFFSET ${steps - 1}
  )`

/** Skips `offset` entries, merged from all lists, then reads the rows of one page. */
export const pageOf = (sql: SqlClient, filter: Filter, { after, limit, offset }: Part) => sql`
  SELECT ${sql.literal(columns)} FROM history_requests WHERE request_id IN (
    SELECT request_id FROM (
      ${sql.join(" UNION ALL ", false)(entries(sql, filter, after))}
      ORDER BY created_at DESC, request_id DESC LIMIT ${limit} OFFSET ${offset}
    )
  ) ORDER BY created_at DESC, request_id DESC`
