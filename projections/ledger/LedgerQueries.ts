/**
 * The statements behind `Ledger`. Each walks an index of `LedgerEntries` in the order of the list, newest first, and stops
 * after what it returns.
 */
import type { SqlClient } from "effect/sql/SqlClient"
import type { AccountId, RequestId } from "#domain/Ids.ts"
import type { EntryKind } from "#domain/Ledger.ts"

export interface Filter {
  readonly accountId: AccountId
  readonly kind?: EntryKind
  readonly requestId?: RequestId
}

export const kinds: ReadonlyArray<EntryKind> = ["topup", "hold", "charge", "release", "revert"]

const entryColumns = `position, ordinal, account_id AS "accountId", request_id AS "requestId", model, kind, amount,
  balance_after AS "balanceAfter", created_at AS "createdAt"`

export const balances = (sql: SqlClient, accountIds: ReadonlyArray<AccountId>) => sql`
  SELECT account_id AS "accountId", balance, reserved, updated_at AS "updatedAt" FROM ledger_balances
  WHERE account_id IN (SELECT value FROM json_each(${JSON.stringify(accountIds)}))`

const ofKind = (sql: SqlClient, { kind }: Filter) => (kind === undefined ? sql`TRUE` : sql`kind = ${kind}`)

/** A request has a handful of entries: they are looked at one by one. `CROSS JOIN` keeps them first, and in order. */
const filtered = (sql: SqlClient, filter: Filter) => sql`
  ledger_entries INDEXED BY ledger_by_request CROSS JOIN ledger_lists USING (list)
  WHERE request_id = ${filter.requestId ?? ""} AND account_id = ${filter.accountId} AND ${ofKind(sql, filter)}`

export const total = (sql: SqlClient, filter: Filter) =>
  filter.requestId === undefined
    ? sql`
      SELECT coalesce(sum(entries), 0) AS total FROM ledger_lists
      WHERE account_id = ${filter.accountId} AND ${ofKind(sql, filter)}`
    : sql`SELECT count(*) AS total FROM ${filtered(sql, filter)}`

/** Steps over `offset` entries of the index alone, merged from all kinds, then reads the rows of one page. */
export const pageOf = (sql: SqlClient, filter: Filter, offset: number, limit: number) => {
  if (filter.requestId !== undefined) {
    return sql`
      SELECT ${sql.literal(entryColumns)} FROM ${filtered(sql, filter)}
      ORDER BY entry_id DESC LIMIT ${limit} OFFSET ${offset}`
  }
  const ofEach = (filter.kind === undefined ? kinds : [filter.kind]).map(
    (kind) => sql`
      SELECT entry_id FROM ledger_entries INDEXED BY ledger_by_list
      WHERE list = (SELECT list FROM ledger_lists WHERE account_id = ${filter.accountId} AND kind = ${kind})`
  )
  return sql`
    SELECT ${sql.literal(entryColumns)} FROM ledger_entries CROSS JOIN ledger_lists USING (list) WHERE entry_id IN (
      SELECT entry_id FROM (
        ${sql.join(" UNION ALL ", false)(ofEach)}
        ORDER BY entry_id DESC LIMIT ${limit} OFFSET ${offset}
      )
    ) ORDER BY entry_id DESC`
}
