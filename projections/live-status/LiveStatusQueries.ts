/**
 * The statements of `LiveStatus`, on the rows of the history. Each walks an index in the order of the log and stops at the
 * limit. Tests check their query plans.
 */
import type { SqlClient } from "effect/sql/SqlClient"
import type { AccountId, RequestId } from "#domain/Ids.ts"
import * as HistoryChanges from "../history/HistoryChanges.ts"

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

const ofRequest = `model, inference_ms AS "inferenceMs", expected_ms AS "expectedMs", error, upstream`

/** Columns of `history_requests` alone: the last change of each request. */
const current = `change_id AS "change", account_id AS "accountId", request_id AS "requestId", status, position, ${ofRequest}`

export const newest = (sql: SqlClient) => sql`
  SELECT coalesce(max(last), 0) AS "change" FROM (
    SELECT ${sql.literal(HistoryChanges.lastOf)} AS last FROM history_changes ORDER BY block DESC LIMIT 1
  )`

export const positionOf = (sql: SqlClient, change: number) => sql`
  SELECT position FROM (${sql.literal(HistoryChanges.of("history_changes"))})
  WHERE block = ${HistoryChanges.blockOf(change)} AND item = ${HistoryChanges.indexOf(change)}`

const blocksOfAccount = "history_change_accounts AS listed CROSS JOIN history_changes USING (block)"

/** Reads the blocks with changes after `change`. `CROSS JOIN` makes SQLite read them first, in the order of the result. */
export const after = (sql: SqlClient, { accountId, change, limit }: After) => {
  const blocks = accountId === undefined ? "history_changes" : blocksOfAccount
  const ofAccount =
    accountId === undefined
      ? sql`TRUE`
      : sql`listed.account_id = ${accountId} AND changes.value ->> 0 = ${accountId}`
  return sql`
    SELECT changes.change_id AS "change", changes.account_id AS "accountId", changes.request_id AS "requestId",
      changes.status, changes.position, ${sql.literal(ofRequest)}
    FROM (${sql.literal(HistoryChanges.of(blocks))} WHERE block >= ${HistoryChanges.blockOf(change + 1)} AND ${ofAccount}) AS changes
    CROSS JOIN history_requests AS requests
    WHERE changes.change_id > ${change} AND requests.request_id = changes.request_id
    ORDER BY block, item LIMIT ${limit}`
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
