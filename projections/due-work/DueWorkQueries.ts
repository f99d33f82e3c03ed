/**
 * The statements of `DueWork`. Each walks an index of `DueWorkProjection` and stops at the limit. Tests check their query
 * plans.
 */
import type { SqlClient } from "effect/sql/SqlClient"
import { firstTimeOrdered } from "#domain/Ids.ts"
import * as SweepSchedule from "#domain/inference-request/SweepSchedule.ts"

export interface Due {
  readonly model: string
  /** Unix time in ms. */
  readonly now: number
}

/** Where a page that is sorted by time ended. The next page starts after it. */
interface After {
  /** Unix time in ms. */
  readonly at: number
  readonly requestId: string
}

/** A page of what is due at `now`, sorted by due time. */
export interface DuePage {
  readonly now: number
  readonly after: After | null
  readonly limit: number
}

/** A key before every page. */
const first: After = { at: Number.MIN_SAFE_INTEGER, requestId: "" }

/** The most accounts that one query visits. Accounts without due requests are visited one by one. */
const maxAccounts = 2_000

const queuedColumns = `request_id AS "requestId", account_id AS "accountId", model, due_at AS "dueAt", attempt,
  provider AS "failedAt", crashes`
const claimColumns = `request_id AS "requestId", account_id AS "accountId", model, attempt, provider, node,
  job_id AS "jobId", cancel_requested AS "cancelRequested"`

/** Due requests of a model, of all accounts, oldest first. */
export const oldest = (sql: SqlClient, { model, now }: Due, limit: number) => sql`
  SELECT ${sql.literal(queuedColumns)} FROM duework_requests INDEXED BY duework_by_due
  WHERE model = ${model} AND phase = 'queued' AND due_at <= ${now}
  ORDER BY due_at, request_id LIMIT ${limit}`

/**
 * Accounts with due requests of a model, after `above` and up to `upTo`, by id. Steps from account to account, so the number
 * of their requests does not matter.
 */
export const dueAccounts = (
  sql: SqlClient,
  { model, now }: Due,
  { above, upTo, limit }: { readonly above: string; readonly upTo: string; readonly limit: number }
) => sql`
  WITH RECURSIVE visited (account_id) AS (
    SELECT min(account_id) FROM duework_requests INDEXED BY duework_by_account
    WHERE model = ${model} AND phase = 'queued' AND account_id > ${above} AND account_id <= ${upTo}
    UNION ALL
    SELECT (
      SELECT min(account_id) FROM duework_requests INDEXED BY duework_by_account
      WHERE model = ${model} AND phase = 'queued' AND account_id > visited.account_id AND account_id <= ${upTo}
    ) FROM visited WHERE visited.account_id IS NOT NULL
    LIMIT ${maxAccounts}
  )
  SELECT account_id AS "accountId" FROM visited
  WHERE ${now} >= (
    SELECT min(due_at) FROM duework_requests INDEXED BY duework_by_account
    WHERE model = ${model} AND phase = 'queued' AND account_id = visited.account_id
  )
  LIMIT ${limit}`

/** The oldest due requests of each account, at most `each`. */
export const oldestOf = (
  sql: SqlClient,
  { model, now }: Due,
  accounts: ReadonlyArray<string>,
  each: number
) => sql`
  SELECT ${sql.literal(queuedColumns)} FROM json_each(${JSON.stringify(accounts)}) AS account
  CROSS JOIN duework_requests ON request_id IN (
    SELECT request_id FROM duework_requests INDEXED BY duework_by_account
    WHERE model = ${model} AND phase = 'queued' AND account_id = account.value AND due_at <= ${now}
    ORDER BY due_at, request_id LIMIT ${each}
  )`

/** Every model has a row in `duework_depth`, and there are few models. */
export const dueModels = (sql: SqlClient, now: number) => sql`
  SELECT model FROM duework_depth WHERE queued > 0 AND ${now} >= (
    SELECT min(due_at) FROM duework_requests INDEXED BY duework_by_due
    WHERE model = duework_depth.model AND phase = 'queued'
  )`

export const nextDueAt = (sql: SqlClient, now: number) => sql`
  SELECT min((
    SELECT min(due_at) FROM duework_requests INDEXED BY duework_by_due
    WHERE model = duework_depth.model AND phase = 'queued' AND due_at > ${now}
  )) AS "dueAt" FROM duework_depth WHERE queued > 0`

/** Queued requests of a model that became due at or before `now`. */
export const waiting = (sql: SqlClient, { model, now, after, limit }: DuePage & Due) => sql`
  SELECT request_id AS "requestId", due_at AS "at" FROM duework_requests INDEXED BY duework_by_due
  WHERE model = ${model} AND phase = 'queued' AND due_at <= ${now}
    AND (due_at, request_id) > (${(after ?? first).at}, ${(after ?? first).requestId})
  ORDER BY due_at, request_id LIMIT ${limit}`

export const claims = (
  sql: SqlClient,
  { after, limit }: { readonly after: string | null; readonly limit: number }
) => sql`
  SELECT ${sql.literal(claimColumns)} FROM duework_requests INDEXED BY duework_claimed
  WHERE phase = 'claimed' AND request_id > ${after ?? ""} ORDER BY request_id LIMIT ${limit}`

export const cancelRequested = (
  sql: SqlClient,
  { node, limit }: { readonly node: string; readonly limit: number }
) => sql`
  SELECT ${sql.literal(claimColumns)} FROM duework_requests INDEXED BY duework_cancelled
  WHERE phase = 'claimed' AND cancel_requested = 1 AND node = ${node} ORDER BY request_id LIMIT ${limit}`

export const deadlines = (sql: SqlClient, { now, after, limit }: DuePage) => sql`
  SELECT request_id AS "requestId", deadline_at AS "at" FROM duework_requests INDEXED BY duework_deadlines
  WHERE deadline_at IS NOT NULL AND deadline_at <= ${now}
    AND (deadline_at, request_id) > (${(after ?? first).at}, ${(after ?? first).requestId})
  ORDER BY deadline_at, request_id LIMIT ${limit}`

export const nextDeadlineAt = (sql: SqlClient, after: number) => sql`
  SELECT min(deadline_at) AS "dueAt" FROM duework_requests INDEXED BY duework_deadlines
  WHERE deadline_at IS NOT NULL AND deadline_at > ${after}`

export const overdue = (sql: SqlClient, { now, after, limit }: DuePage) => sql`
  SELECT ${sql.literal(claimColumns)}, overdue_at AS "at" FROM duework_requests INDEXED BY duework_overdue
  WHERE overdue_at IS NOT NULL AND overdue_at <= ${now}
    AND (overdue_at, request_id) > (${(after ?? first).at}, ${(after ?? first).requestId})
  ORDER BY overdue_at, request_id LIMIT ${limit}`

export const finalizing = (sql: SqlClient, { now, after, limit }: DuePage) => sql`
  SELECT ${sql.literal(claimColumns)}, due_at AS "at" FROM duework_requests INDEXED BY duework_finalizing
  WHERE phase = 'finalizing' AND due_at <= ${now}
    AND (due_at, request_id) > (${(after ?? first).at}, ${(after ?? first).requestId})
  ORDER BY due_at, request_id LIMIT ${limit}`

/** Ids sort by their time, which is at or shortly before the submit. */
export const forceFailable = (
  sql: SqlClient,
  {
    createdBefore,
    after,
    limit
  }: { readonly createdBefore: number; readonly after: string | null; readonly limit: number }
) => sql`
  SELECT request_id AS "requestId" FROM duework_requests INDEXED BY duework_given_up
  WHERE sweep_retries >= ${sql.literal(String(SweepSchedule.retriesBeforeForceFail))}
    AND request_id > ${after ?? ""}
    AND request_id < ${firstTimeOrdered(createdBefore)}
  ORDER BY request_id LIMIT ${limit}`

export const depth = (sql: SqlClient, model: string) =>
  sql`SELECT queued FROM duework_depth WHERE model = ${model}`
