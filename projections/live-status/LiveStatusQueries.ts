/**
 * The statements of `LiveStatus`, on the rows of the history. Each walks an index in the order of the log and stops at the
 * limit. Tests check their query plans.
 */
import type { SqlClient } from "effect/sql/SqlClient"
import type { AccountId, RequestId } from "#domain/Ids.ts"

export interface After {
  /** Absent: all accounts. */
  readonly accountId?: AccountId
  readonly change: number
  readonly limit: number
}

export interface Open {
  readonly accountId: AccountId
  readonly after: number
  readonly through: number
  readonly limit: number
}

const ofRequest = `model, inference_ms AS "inferenceMs", expected_ms AS "expectedMs", error`

/** Columns of `history_requests` alone: the last change of each request. */
const current = `change_id AS "change", account_id AS "accountId", request_id AS "requestId", status, position, ${ofRequest}`

export const newest = (sql: SqlClient) => sql`
  SELECT coalesce(max(change_id), 0) AS "change" FROM history_changes`

export const positionOf = (sql: SqlClient, change: number) => sql`
  SELECT position FROM history_changes WHERE change_id = ${change}`

/** `CROSS JOIN` makes SQLite read the changes first, in the order of the result. */
export const after = (sql: SqlClient, { accountId, change, limit }: After) => {
  const changes =
    accountId === undefined
      ? sql`history_changes AS changes`
      : sql`history_changes AS changes INDEXED BY history_changes_by_account`
  const ofAccount = accountId === undefined ? sql`TRUE` : sql`changes.account_id = ${accountId}`
  return sql`
    SELECT changes.change_id AS "change", changes.account_id AS "accountId", changes.request_id AS "requestId",
      changes.status, changes.position, ${sql.literal(ofRequest)}
    FROM ${changes} CROSS JOIN history_requests AS requests
    WHERE ${ofAccount} AND changes.change_id > ${change} AND requests.request_id = changes.request_id
    ORDER BY changes.change_id LIMIT ${limit}`
}

export const open = (sql: SqlClient, { accountId, after, limit, through }: Open) => sql`
  SELECT ${sql.literal(current)} FROM history_requests INDEXED BY history_open
  WHERE account_id = ${accountId} AND status IN ('IN_QUEUE', 'IN_PROGRESS')
    AND change_id > ${after} AND change_id <= ${through}
  ORDER BY change_id LIMIT ${limit}`

export const ofRequests = (sql: SqlClient, requestIds: ReadonlyArray<RequestId>) => sql`
  SELECT ${sql.literal(current)} FROM history_requests
  WHERE request_id IN (SELECT value FROM json_each(${JSON.stringify(requestIds)}))
  ORDER BY change_id`
