/** The statements of `DueDeliveries`. Each walks an index and stops at the limit. Tests check their query plans. */
import type { SqlClient } from "effect/sql/SqlClient"

/** What a search skips. */
export interface Without {
  readonly accounts: ReadonlyArray<string>
  /** Origins of receivers. */
  readonly receivers: ReadonlyArray<string>
  /** Pairs of an account's id and a receiver's origin. */
  readonly lanes: ReadonlyArray<readonly [accountId: string, origin: string]>
  readonly deliveries: ReadonlyArray<string>
}

/** Which deliveries a search finds. */
export interface Due {
  /** Unix time in ms. */
  readonly now: number
  readonly without: Without
}

/** The most due accounts that take part, longest due first. Accounts beyond it take part as others are served. */
const maxAccounts = 2_000

export const owed = (
  sql: SqlClient,
  {
    after,
    limit
  }: { readonly after: { readonly requestId: string; readonly event: string } | null; readonly limit: number }
) => sql`
  SELECT request_id AS "requestId", event FROM duework_owed
  WHERE (request_id, event) > (${after?.requestId ?? ""}, ${after?.event ?? ""})
  ORDER BY request_id, event LIMIT ${limit}`

const noneOf = (sql: SqlClient, column: string, values: ReadonlyArray<string>) =>
  values.length === 0
    ? []
    : [sql`${sql.literal(column)} NOT IN (SELECT value FROM json_each(${JSON.stringify(values)}))`]

/** Conditions on the receiver alone. */
const openReceiver = (sql: SqlClient, { receivers }: Without) => noneOf(sql, "origin", receivers)

const openLane = (sql: SqlClient, without: Without) => [
  ...openReceiver(sql, without),
  ...noneOf(sql, "account_id", without.accounts),
  // Compares one text, which takes SQLite 0.6 of the time of a pair. There may be a thousand lanes.
  ...noneOf(
    sql,
    "account_id || ' ' || origin",
    without.lanes.map(([accountId, origin]) => `${accountId} ${origin}`)
  )
]

const dueBy = (sql: SqlClient, column: string, now: number) => sql`${sql.literal(column)} <= ${now}`

/**
 * Accounts with due deliveries to open receivers, by id, starting after `after` and wrapping around. The second part finds
 * accounts at other receivers when the longest due accounts wait only for full ones.
 */
export const dueAccounts = (
  sql: SqlClient,
  { now, without }: Due,
  { after, limit }: { readonly after: string; readonly limit: number }
) => {
  const isOpenLane = sql.and([dueBy(sql, "next_at", now), ...openLane(sql, without)])
  const isOpenReceiver = sql.and([dueBy(sql, "next_at", now), ...openReceiver(sql, without)])
  return sql`
  SELECT account_id AS "accountId" FROM (
    SELECT account_id FROM (
      SELECT account_id FROM deliveries_accounts INDEXED BY deliveries_accounts_by_time
      WHERE ${sql.and([dueBy(sql, "next_at", now), ...noneOf(sql, "account_id", without.accounts)])}
      ORDER BY next_at, account_id LIMIT ${maxAccounts}
    ) AS waiting WHERE EXISTS (
      SELECT 1 FROM deliveries_lanes INDEXED BY deliveries_lanes_of_account
      WHERE account_id = waiting.account_id AND ${isOpenLane}
    )
    UNION
    SELECT account_id FROM (
      SELECT lane.account_id FROM (
        SELECT origin AS receiver FROM deliveries_origins INDEXED BY deliveries_origins_by_time
        WHERE ${isOpenReceiver} ORDER BY next_at, origin LIMIT ${limit}
      )
      CROSS JOIN deliveries_lanes AS lane INDEXED BY deliveries_lanes_of_origin
        ON lane.origin = receiver AND ${isOpenLane}
      LIMIT ${limit}
    )
  ) ORDER BY account_id <= ${after}, account_id LIMIT ${limit}`
}

/**
 * The longest due deliveries of each account, at most `most`, and at most `each` per receiver. They are among the account's
 * `most` longest due lanes.
 */
export const longestDueOf = (
  sql: SqlClient,
  { now, without, each }: Due & { readonly each: number },
  accounts: ReadonlyArray<string>,
  most: number
) => {
  const isOpen = sql.and([
    dueBy(sql, "next_attempt_at", now),
    ...noneOf(sql, "delivery_id", without.deliveries)
  ])
  return sql`
  SELECT delivery_id AS "deliveryId", account_id AS "accountId", request_id AS "requestId", origin,
    next_attempt_at AS "dueAt"
  FROM json_each(${JSON.stringify(accounts)}) AS account
  CROSS JOIN deliveries_deliveries ON delivery_id IN (
    SELECT due.delivery_id FROM (
      SELECT account_id, origin FROM deliveries_lanes INDEXED BY deliveries_lanes_of_account
      WHERE account_id = account.value AND ${sql.and([dueBy(sql, "next_at", now), ...openLane(sql, without)])}
      ORDER BY next_at, origin LIMIT ${most}
    ) AS lane
    CROSS JOIN deliveries_deliveries AS due ON due.delivery_id IN (
      SELECT delivery_id FROM deliveries_deliveries INDEXED BY deliveries_by_lane
      WHERE account_id = lane.account_id AND origin = lane.origin AND status = 'pending' AND ${isOpen}
      ORDER BY next_attempt_at, delivery_id LIMIT ${Math.min(each, most)}
    )
    ORDER BY due.next_attempt_at, due.delivery_id LIMIT ${most}
  )`
}

export const nextDueAt = (sql: SqlClient, now: number) => sql`
  SELECT min(next_attempt_at) AS "dueAt" FROM deliveries_deliveries INDEXED BY deliveries_by_time
  WHERE status = 'pending' AND next_attempt_at > ${now}`

/** The number of the current attempt is the number of attempts. */
export const underWay = (
  sql: SqlClient,
  { after, limit }: { readonly after: string | null; readonly limit: number }
) => sql`
  SELECT delivery_id AS "deliveryId", request_id AS "requestId", attempts AS attempt, node
  FROM deliveries_deliveries INDEXED BY deliveries_under_way
  WHERE status = 'delivering' AND delivery_id > ${after ?? ""} ORDER BY delivery_id LIMIT ${limit}`

export const recoveries = (sql: SqlClient, limit: number) => sql`
  SELECT recovery_id AS "recoveryId", account_id AS "accountId", since, until, requested_at AS "requestedAt"
  FROM deliveries_recoveries AS open INDEXED BY deliveries_recoveries_by_time
  WHERE NOT EXISTS (
    SELECT 1 FROM deliveries_recoveries INDEXED BY deliveries_recoveries_of_account
    WHERE account_id = open.account_id AND (requested_at, recovery_id) < (open.requested_at, open.recovery_id)
  )
  ORDER BY requested_at, recovery_id LIMIT ${limit}`

export const backlog = (sql: SqlClient) => sql`
  SELECT coalesce((SELECT deliveries FROM deliveries_totals WHERE status = 'pending'), 0) AS pending, (
    SELECT min(next_attempt_at) FROM deliveries_deliveries INDEXED BY deliveries_by_time WHERE status = 'pending'
  ) AS "oldestDueAt"`
