/**
 * The statements of `Deliveries`. Each walks an index of `DeliveryRows` in the order of the list and stops at the limit.
 * Tests check their query plans.
 */
import type { SqlClient } from "effect/sql/SqlClient"
import { WebhookEventName } from "#domain/inference-request/Event.ts"
import type { Failed, Filter, PageKey } from "./DeliveryFilter.ts"
import type { Part } from "../Page.ts"
import { DeliveryStatus } from "./DeliveryItem.ts"

const columns = `delivery_id AS "deliveryId", account_id AS "accountId", request_id AS "requestId", event, url, status,
  attempts, last_response_status AS "lastResponseStatus", last_error AS "lastError",
  next_attempt_at AS "nextAttemptAt", delivered_at AS "deliveredAt", created_at AS "createdAt",
  updated_at AS "updatedAt"`

const byColumns = (sql: SqlClient, { accountId, requestId, status, event }: Filter) => [
  sql`account_id = ${accountId}`,
  ...(requestId === undefined ? [] : [sql`request_id = ${requestId}`]),
  ...(status === undefined ? [] : [sql`status = ${status}`]),
  ...(event === undefined ? [] : [sql`event = ${event}`])
]

const byAll = (sql: SqlClient, filter: Filter, after: PageKey | null) =>
  sql.and([
    ...byColumns(sql, filter),
    ...(after === null ? [] : [sql`(created_at, delivery_id) < (${after.createdAt}, ${after.deliveryId})`])
  ])

/** One filter for each status and event that match. For each of them, the index has the order of the list. */
const ofEach = (filter: Filter): ReadonlyArray<Filter> => {
  const statuses = filter.status === undefined ? DeliveryStatus.literals : [filter.status]
  const events = filter.event === undefined ? WebhookEventName.literals : [filter.event]
  return statuses.flatMap((status) => events.map((event) => ({ ...filter, status, event })))
}

export const sumCounters = (sql: SqlClient, filter: Filter) => sql`
  SELECT coalesce(sum(deliveries), 0) AS total FROM deliveries_counters WHERE ${sql.and(byColumns(sql, filter))}`

/** For filters that name a request, because a request has few deliveries. */
export const countOfRequest = (sql: SqlClient, filter: Filter) => sql`
  SELECT count(*) AS total FROM deliveries_deliveries INDEXED BY deliveries_by_request
  WHERE ${sql.and(byColumns(sql, filter))}`

/** See `countOfRequest`. */
export const ofRequest = (sql: SqlClient, filter: Filter, { after, offset, limit }: Part<PageKey>) => sql`
  SELECT ${sql.literal(columns)} FROM deliveries_deliveries INDEXED BY deliveries_by_request
  WHERE ${byAll(sql, filter, after)}
  ORDER BY created_at DESC, delivery_id DESC LIMIT ${limit} OFFSET ${offset}`

/** Skips entries of the index alone, merged from all statuses and events, then reads the rows of one page. */
export const pageOf = (sql: SqlClient, filter: Filter, { after, offset, limit }: Part<PageKey>) => {
  const entries = ofEach(filter).map(
    (each) => sql`
    SELECT created_at, delivery_id FROM deliveries_deliveries INDEXED BY deliveries_by_list
    WHERE ${byAll(sql, each, after)}`
  )
  return sql`
    SELECT ${sql.literal(columns)} FROM deliveries_deliveries WHERE delivery_id IN (
      SELECT delivery_id FROM (
        ${sql.join(" UNION ALL ", false)(entries)}
        ORDER BY created_at DESC, delivery_id DESC LIMIT ${limit} OFFSET ${offset}
      )
    ) ORDER BY created_at DESC, delivery_id DESC`
}

/** Failed deliveries that can be sent again. */
const recoverable = (sql: SqlClient, { accountId, since, until }: Failed) => sql`
  FROM deliveries_deliveries INDEXED BY deliveries_recoverable
  WHERE account_id = ${accountId} AND status = 'failed' AND is_erased = 0
    AND created_at >= ${since} AND created_at < ${until}`

export const countFailed = (sql: SqlClient, failed: Failed) => sql`
  SELECT count(*) AS total ${recoverable(sql, failed)}`

export const failed = (
  sql: SqlClient,
  { after, limit, ...failed }: Failed & { readonly after: PageKey | null; readonly limit: number }
) => {
  const since = Math.max(failed.since, after?.createdAt ?? failed.since)
  return sql`
  SELECT created_at AS "createdAt", delivery_id AS "deliveryId" ${recoverable(sql, { ...failed, since })}
    AND (created_at, delivery_id) > (${after?.createdAt ?? since}, ${after?.deliveryId ?? ""})
  ORDER BY created_at, delivery_id LIMIT ${limit}`
}
