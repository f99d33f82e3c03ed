/**
 * The statements behind `DueDeliveries`. Each walks an index and stops after what it returns: the tests hold their query
 * plans.
 */
import type { SqlClient } from "effect/sql/SqlClient"

/** What is passed over for now. */
export interface Without {
  readonly accounts: ReadonlyArray<string>
  /** By their origins. */
  readonly receivers: ReadonlyArray<string>
  /** One account at one receiver each: its id, and the receiver's origin. */
  readonly lanes: ReadonlyArray<readonly [accountId: string, origin: string]>
  readonly deliveries: ReadonlyArray<string>
}

/** What is due. */
export interface Due {
  /** Unix time in ms. */
  readonly now: number
  readonly without: Without
}

/** Of more due accounts than this those take part that are due longest: everybody who waits gets there. */
const mostAccounts = 2_000

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

/** Of a receiver, whoever has something for it. */
const openReceiver = (sql: SqlClient, { receivers }: Without) => noneOf(sql, "origin", receivers)

const openLane = (sql: SqlClient, without: Without) => [
  ...openReceiver(sql, without),
  ...noneOf(sql, "account_id", without.accounts),
  // As one text, which SQLite reads in 0.6 of the time of a pair: there may be a thousand.
  ...noneOf(
    sql,
    "account_id || ' ' || origin",
    without.lanes.map(([accountId, origin]) => `${accountId} ${origin}`)
  )
]

const dueBy = (sql: SqlClient, column: string, now: number) => sql`${sql.literal(column)} <= ${now}`

/**
 * Accounts with due deliveries to receivers that are not full, in the order of their ids after `after`, and round. Where
 * all that the longest due accounts have is for full ones, those at the other receivers are still found.
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
      ORDER BY next_at, account_id LIMIT ${mostAccounts}
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
 * The longest due deliveries of each of the accounts, up to `most`, and up to `each` to one receiver. They are among those
 * of its `most` longest due lanes.
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

/** The number of the attempt under way is how many there were. */
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
