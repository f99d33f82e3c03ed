/**
 * The statements of `Ledger`. Those of entries walk an index of `LedgerEntries` in the order of the list, newest first, and
 * stop at the limit. Those of usage read one contiguous range of the table.
 */
import type { SqlClient } from "effect/sql/SqlClient"
import type { Granularity } from "#domain/CalendarTime.ts"
import type { AccountId, KeyId, RequestId } from "#domain/Ids.ts"
import type { EntryKind } from "#domain/Ledger.ts"
import type { ModelEndpoint } from "#domain/ModelEndpoint.ts"
import type { Part } from "../Page.ts"
import { everyKey } from "./LedgerUsage.ts"

export interface Filter {
  readonly accountId: AccountId
  readonly kind?: EntryKind | undefined
  readonly requestId?: RequestId | undefined
}

export interface Walk {
  readonly accountId: AccountId
  /** The id of an entry. */
  readonly after: number
  readonly limit: number
}

export interface UsageFilter {
  readonly accountId: AccountId
  readonly granularity: Granularity
  /** Buckets that begin at or after `start` and before `end`. Unix time in ms. */
  readonly start: number
  readonly end: number
  readonly model?: ModelEndpoint | undefined
  /** Only requests of this key. */
  readonly keyId?: KeyId | undefined
  /** A row for each key, instead of one for all keys. */
  readonly byKey?: boolean | undefined
}

export const kinds: ReadonlyArray<EntryKind> = ["topup", "hold", "charge", "release", "revert"]

const entryColumns = `entry_id AS "entryId", position, ordinal, account_id AS "accountId", request_id AS "requestId", model, kind, amount,
  balance_after AS "balanceAfter", created_at AS "createdAt"`

export const balances = (sql: SqlClient, accountIds: ReadonlyArray<AccountId>) => sql`
  SELECT account_id AS "accountId", balance, reserved, updated_at AS "updatedAt" FROM ledger_balances
  WHERE account_id IN (SELECT value FROM json_each(${JSON.stringify(accountIds)}))`

const behind = (sql: SqlClient, after: number | null) =>
  after === null ? sql`TRUE` : sql`entry_id < ${after}`

const ofKind = (sql: SqlClient, { kind }: Filter) => (kind === undefined ? sql`TRUE` : sql`kind = ${kind}`)

/** A request has a handful of entries, so each is checked. `CROSS JOIN` makes SQLite read them first and in order. */
const filtered = (sql: SqlClient, filter: Filter) => sql`
  ledger_entries INDEXED BY ledger_by_request CROSS JOIN ledger_lists USING (list)
  WHERE request_id = ${filter.requestId ?? ""} AND account_id = ${filter.accountId} AND ${ofKind(sql, filter)}`

export const total = (sql: SqlClient, filter: Filter) =>
  filter.requestId === undefined
    ? sql`
      SELECT coalesce(sum(entries), 0) AS total FROM ledger_lists
      WHERE account_id = ${filter.accountId} AND ${ofKind(sql, filter)}`
    : sql`SELECT count(*) AS total FROM ${filtered(sql, filter)}`

/** Skips `offset` entries of the index alone, merged from all kinds, then reads the rows of one page. */
export const pageOf = (sql: SqlClient, filter: Filter, { after, offset, limit }: Part<number>) => {
  if (filter.requestId !== undefined) {
    return sql`
      SELECT ${sql.literal(entryColumns)} FROM ${filtered(sql, filter)} AND ${behind(sql, after)}
      ORDER BY entry_id DESC LIMIT ${limit} OFFSET ${offset}`
  }
  const ofEach = (filter.kind === undefined ? kinds : [filter.kind]).map(
    (kind) => sql`
      SELECT entry_id FROM ledger_entries INDEXED BY ledger_by_list
      WHERE list = (SELECT list FROM ledger_lists WHERE account_id = ${filter.accountId} AND kind = ${kind})
        AND ${behind(sql, after)}`
  )
  return sql`
    SELECT ${sql.literal(entryColumns)} FROM ledger_entries CROSS JOIN ledger_lists USING (list) WHERE entry_id IN (
      SELECT entry_id FROM (
        ${sql.join(" UNION ALL ", false)(ofEach)}
        ORDER BY entry_id DESC LIMIT ${limit} OFFSET ${offset}
      )
    ) ORDER BY entry_id DESC`
}

/** Entries of an account in the order of the log, after entry `after` (0 for the first). */
export const walk = (sql: SqlClient, { accountId, after, limit }: Walk) => {
  const ofEach = kinds.map(
    (kind) => sql`
      SELECT entry_id FROM ledger_entries INDEXED BY ledger_by_list
      WHERE list = (SELECT list FROM ledger_lists WHERE account_id = ${accountId} AND kind = ${kind})
        AND entry_id > ${after}`
  )
  return sql`
    SELECT ${sql.literal(entryColumns)} FROM ledger_entries CROSS JOIN ledger_lists USING (list) WHERE entry_id IN (
      SELECT entry_id FROM (${sql.join(" UNION ALL ", false)(ofEach)} ORDER BY entry_id LIMIT ${limit})
    ) ORDER BY entry_id`
}

/**
 * At most `limit` rows by bucket, model and unit, or with `byKey` by bucket, key, model and unit. The `+` keeps SQLite from
 * sorting for a constant model.
 */
export const usage = (sql: SqlClient, filter: UsageFilter, limit: number) => {
  const { accountId, byKey = false, end, granularity, keyId = everyKey, model, start } = filter
  if (byKey && filter.keyId === undefined) return usageOfEachKey(sql, filter, limit)
  return sql`
    SELECT bucket, nullif(key_id, '') AS "keyId", model, unit, requests, quantity, cost FROM ledger_usage
    WHERE account_id = ${accountId} AND key_id = ${keyId} AND granularity = ${granularity}
      AND bucket >= ${start} AND bucket < ${end} AND ${model === undefined ? sql`TRUE` : sql`+model = ${model}`}
    ORDER BY bucket, model, unit LIMIT ${limit}`
}

/** `ledger_spending` has each key that was ever charged, so each key is one range of the sums. */
const usageOfEachKey = (sql: SqlClient, filter: UsageFilter, limit: number) => {
  const { accountId, end, granularity, model, start } = filter
  return sql`
    SELECT bucket, key_id AS "keyId", model, unit, requests, quantity, cost
    FROM ledger_spending CROSS JOIN ledger_usage USING (account_id, key_id)
    WHERE account_id = ${accountId} AND granularity = ${granularity}
      AND bucket >= ${start} AND bucket < ${end} AND ${model === undefined ? sql`TRUE` : sql`+model = ${model}`}
    ORDER BY bucket, key_id, model, unit LIMIT ${limit}`
}
