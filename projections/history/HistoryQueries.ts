/**
 * The statements behind `History`, but for those of metadata (`MetadataQueries`). Each walks an index of `HistoryRows` in
 * the order of the list, newest first, and stops after what it returns, or reads counters alone: the tests hold their plans.
 */
import type { SqlClient } from "effect/sql/SqlClient"
import type { RequestId } from "#domain/Ids.ts"
import { Status } from "#domain/inference-request/Status.ts"
import type { ModelEndpoint } from "#domain/ModelEndpoint.ts"
import { hourMs } from "./HistoryCounters.ts"
import { type Filter, modelsOf, type Part, type Place } from "./HistoryFilter.ts"
import * as WholeHours from "./WholeHours.ts"

export const columns = `request_id AS "requestId", account_id AS "accountId", model, status, outcome, metadata,
  created_at AS "createdAt", started_at AS "startedAt", run_started_at AS "runStartedAt",
  inference_ms AS "inferenceMs", ended_at AS "endedAt", has_violations AS "hasViolations",
  billing_status AS "billingStatus", amount, error, media, erased_at AS "erasedAt", position`

export const rowOf = (sql: SqlClient, requestId: RequestId) => sql`
  SELECT ${sql.literal(columns)} FROM history_requests WHERE request_id = ${requestId}`

export const statusesOf = ({ status }: Filter): ReadonlyArray<Status> =>
  status === undefined ? Status.literals : [status]

export const ofModels = (sql: SqlClient, filter: Filter) => {
  const models = modelsOf(filter)
  return models === null ? [] : [sql.in("model", models)]
}

/** Between the bounds of time. */
export const within = (sql: SqlClient, { createdAfter, createdBefore }: Omit<Filter, "accountId">) => [
  ...(createdAfter === undefined ? [] : [sql`created_at > ${createdAfter}`]),
  ...(createdBefore === undefined ? [] : [sql`created_at < ${createdBefore}`])
]

export const behind = (sql: SqlClient, after: Place | null) =>
  after === null ? [] : [sql`(created_at, request_id) < (${after.createdAt}, ${after.requestId})`]

const ofAccount = (sql: SqlClient, { accountId }: Filter) => sql`account_id = ${accountId}`

/** Within a status, and a model if there are any, the index is in the order of the list. */
const indexOf = (sql: SqlClient, filter: Filter) =>
  sql.literal(modelsOf(filter) === null ? "history_by_status" : "history_by_model")

const counted = (sql: SqlClient, filter: Filter) =>
  sql.and([ofAccount(sql, filter), ...ofModels(sql, filter), sql.in("status", statusesOf(filter))])

export const sumCounters = (sql: SqlClient, filter: Filter) => sql`
  SELECT coalesce(sum(requests), 0) AS total FROM history_counters WHERE ${counted(sql, filter)}`

/** Reads the entries between the bounds. */
const countRows = (sql: SqlClient, filter: Filter) => sql`
  SELECT count(*) AS requests FROM history_requests INDEXED BY ${indexOf(sql, filter)}
  WHERE ${sql.and([counted(sql, filter), ...within(sql, filter)])}`

/** The counters of hours, for each model and status that the account has any of. */
const hours = (sql: SqlClient, filter: Filter, { first, last }: WholeHours.Range) => sql`
  history_counters CROSS JOIN history_hours USING (account_id, model, status)
  WHERE ${counted(sql, filter)} AND hour BETWEEN ${first} AND ${last}`

/** Between bounds: reads the counters of whole hours, and the entries of what is left at both ends. */
export const countWithin = (sql: SqlClient, filter: Filter) => {
  const { edges, whole } = WholeHours.of(filter)
  const parts = edges.map((edge) => countRows(sql, { ...filter, ...edge }))
  if (whole !== null) {
    parts.push(
      sql`SELECT coalesce(sum(history_hours.requests), 0) AS requests FROM ${hours(sql, filter, whole)}`
    )
  }
  return sql`SELECT sum(requests) AS total FROM (${sql.join(" UNION ALL ", false)(parts)})`
}

/**
 * The hour in which the request is that `offset` newer ones of `whole` hours stand before, and how many of those are of
 * later hours.
 */
export const hourAt = (sql: SqlClient, filter: Filter, whole: WholeHours.Range, offset: number) => sql`
  SELECT hour, newer FROM (
    SELECT hour, sum(requests) OVER (ORDER BY hour DESC) - requests AS newer FROM (
      SELECT hour, sum(history_hours.requests) AS requests FROM ${hours(sql, filter, whole)} GROUP BY hour
    )
  ) WHERE newer <= ${offset} ORDER BY hour LIMIT 1`

/** What was created in the hour or before. */
export const upTo = (hour: number): number => (hour + 1) * hourMs

/** The entries of the index alone, once for each list that is in the order of the whole. */
const entries = (sql: SqlClient, filter: Filter, after: Place | null) => {
  const models: ReadonlyArray<ModelEndpoint | null> = modelsOf(filter) ?? [null]
  return models.flatMap((model) =>
    statusesOf(filter).map(
      (status) => sql`
    SELECT created_at, request_id FROM history_requests INDEXED BY ${indexOf(sql, filter)}
    WHERE ${sql.and([
      ofAccount(sql, filter),
      ...(model === null ? [] : [sql`model = ${model}`]),
      sql`status = ${status}`,
      ...within(sql, filter),
      ...behind(sql, after)
    ])}`
    )
  )
}

/** The rows of one page, from the entries of its lists. */
export const rowsOf = (
  sql: SqlClient,
  lists: ReturnType<typeof entries>,
  { limit, offset }: Pick<Part, "limit" | "offset">
) => sql`
  SELECT ${sql.literal(columns)} FROM history_requests WHERE request_id IN (
    SELECT request_id FROM (
      ${sql.join(" UNION ALL ", false)(lists)}
      ORDER BY created_at DESC, request_id DESC LIMIT ${limit} OFFSET ${offset}
    )
  ) ORDER BY created_at DESC, request_id DESC`

/** Steps over `offset` entries, merged from all lists, then reads the rows of one page. */
export const pageOf = (sql: SqlClient, filter: Filter, { after, ...part }: Part) =>
  rowsOf(sql, entries(sql, filter, after), part)
