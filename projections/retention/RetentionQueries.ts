/** The statements of `Retention`. Each walks a key or an index in order and stops at the limit. */
import type { SqlClient } from "effect/sql/SqlClient"

/** `after` and `before` are ids or prefixes of ids. */
export const expired = (
  sql: SqlClient,
  { after, before, limit }: { readonly after: string; readonly before: string; readonly limit: number }
) => sql`
  SELECT request_id AS "requestId" FROM retention_requests
  WHERE request_id > ${after} AND request_id < ${before}
  ORDER BY request_id LIMIT ${limit}`

export const removals = (
  sql: SqlClient,
  { after, limit }: { readonly after: string; readonly limit: number }
) => sql`
  SELECT request_id AS "requestId" FROM retention_removals
  WHERE request_id > ${after} ORDER BY request_id LIMIT ${limit}`

export const accounts = (sql: SqlClient) => sql`
  SELECT account_id AS "accountId", erased_at AS "erasedAt" FROM retention_accounts ORDER BY account_id`

/**
 * All requests of an account and status, erased or not, so that the cost of a page does not depend on how many are erased.
 */
export const ofAccount = (
  sql: SqlClient,
  options: {
    readonly accountId: string
    readonly after: { readonly status: string; readonly createdAt: number; readonly requestId: string }
    readonly limit: number
  }
) => sql`
  SELECT request_id AS "requestId", status, created_at AS "createdAt",
    EXISTS (SELECT 1 FROM retention_requests AS kept WHERE kept.request_id = listed.request_id) AS "isErasable"
  FROM history_requests AS listed INDEXED BY history_by_status
  WHERE account_id = ${options.accountId} AND status = ${options.after.status}
    AND (created_at, request_id) > (${options.after.createdAt}, ${options.after.requestId})
  ORDER BY created_at, request_id LIMIT ${options.limit}`
