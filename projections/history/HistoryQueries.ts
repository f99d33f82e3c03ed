/**
 * The statements behind `History`. Each walks an index of `HistoryRows` in the order of the list, newest first, and stops
 * after what it returns: the tests hold their query plans.
 */
import type { SqlClient } from "effect/sql/SqlClient"
import type { AccountId, RequestId } from "#domain/Ids.ts"
import { Status } from "#domain/inference-request/Status.ts"
import type { ModelEndpoint } from "#domain/ModelEndpoint.ts"

export interface Filter {
  readonly accountId: AccountId
  readonly status?: Status
  readonly model?: ModelEndpoint
  /** Unix time in ms; the bounds themselves are left out. */
  readonly createdAfter?: number
  readonly createdBefore?: number
}

const columns = `request_id AS "requestId", account_id AS "accountId", model, status, outcome, metadata,
  created_at AS "createdAt", started_at AS "startedAt", run_started_at AS "runStartedAt", ended_at AS "endedAt",
  billing_status AS "billingStatus", amount, error, position`

const byColumns = (sql: SqlClient, { accountId, status, model }: Filter) => [
  sql`account_id = ${accountId}`,
  ...(model === undefined ? [] : [sql`model = ${model}`]),
  ...(status === undefined ? [] : [sql`status = ${status}`])
]

const byAll = (sql: SqlClient, filter: Filter) =>
  sql.and([
    ...byColumns(sql, filter),
    ...(filter.createdAfter === undefined ? [] : [sql`created_at > ${filter.createdAfter}`]),
    ...(filter.createdBefore === undefined ? [] : [sql`created_at < ${filter.createdBefore}`])
  ])

/** Both have the status before the time. */
const indexOf = (sql: SqlClient, { model }: Filter) =>
  sql.literal(model === undefined ? "history_by_status" : "history_by_model")

/** The filter once for each status that it lets through: within one of them the index is in the order of the list. */
const ofEachStatus = (filter: Filter): ReadonlyArray<Filter> =>
  filter.status === undefined ? Status.literals.map((status) => ({ ...filter, status })) : [filter]

export const sumCounters = (sql: SqlClient, filter: Filter) => sql`
  SELECT coalesce(sum(requests), 0) AS total FROM history_counters WHERE ${sql.and(byColumns(sql, filter))}`

export const countRows = (sql: SqlClient, filter: Filter) => {
  const counts = ofEachStatus(filter).map(
    (each) => sql`
    SELECT count(*) AS requests FROM history_requests INDEXED BY ${indexOf(sql, each)} WHERE ${byAll(sql, each)}`
  )
  return sql`SELECT sum(requests) AS total FROM (${sql.join(" UNION ALL ", false)(counts)})`
}

export const rowOf = (sql: SqlClient, requestId: RequestId) => sql`
  SELECT ${sql.literal(columns)} FROM history_requests WHERE request_id = ${requestId}`

/** Steps over `offset` entries of the index alone, merged from all statuses, then reads the rows of one page. */
export const pageOf = (sql: SqlClient, filter: Filter, offset: number, limit: number) => {
  const entries = ofEachStatus(filter).map(
    (each) => sql`
    SELECT created_at, request_id FROM history_requests INDEXED BY ${indexOf(sql, each)} WHERE ${byAll(sql, each)}`
  )
  return sql`
    SELECT ${sql.literal(columns)} FROM history_requests WHERE request_id IN (
      SELECT request_id FROM (
        ${sql.join(" UNION ALL ", false)(entries)}
        ORDER BY created_at DESC, request_id DESC LIMIT ${limit} OFFSET ${offset}
      )
    ) ORDER BY created_at DESC, request_id DESC`
}
