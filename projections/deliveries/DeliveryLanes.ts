/**
 * The earliest due time of each lane (the pending deliveries of one account to one receiver), account and receiver. The
 * search for due deliveries does not visit other pending deliveries or lanes.
 */
import type { DatabaseSync } from "node:sqlite"
import { integerOrNull } from "../batch/Columns.ts"
import * as CompositeKey from "../batch/CompositeKey.ts"
import type { BatchBuffer } from "../Projection.ts"

/** A row exists while something is pending. `next_at` is the earliest time of all pending deliveries, Unix time in ms. */
export const tables = `
  CREATE TABLE deliveries_lanes (
    account_id TEXT NOT NULL,
    origin TEXT NOT NULL,
    next_at INTEGER NOT NULL,
    PRIMARY KEY (account_id, origin)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX deliveries_lanes_of_account ON deliveries_lanes (account_id, next_at);
  CREATE INDEX deliveries_lanes_of_origin ON deliveries_lanes (origin, next_at);
  CREATE TABLE deliveries_accounts (account_id TEXT PRIMARY KEY, next_at INTEGER NOT NULL) STRICT, WITHOUT ROWID;
  CREATE INDEX deliveries_accounts_by_time ON deliveries_accounts (next_at);
  CREATE TABLE deliveries_origins (origin TEXT PRIMARY KEY, next_at INTEGER NOT NULL) STRICT, WITHOUT ROWID;
  CREATE INDEX deliveries_origins_by_time ON deliveries_origins (next_at);
`

export interface DeliveryLanes extends BatchBuffer {
  /** The pending deliveries of the lane have changed, or will have when this is written. */
  readonly touch: (accountId: string, origin: string) => void
}

export const make = (db: DatabaseSync): DeliveryLanes => {
  const lane = makeLevel(db, {
    table: "deliveries_lanes",
    keys: ["account_id", "origin"],
    earliest: `SELECT min(next_attempt_at) AS next_at FROM deliveries_deliveries INDEXED BY deliveries_by_lane
      WHERE account_id = ? AND origin = ? AND status = 'pending'`
  })
  const account = makeLevel(db, {
    table: "deliveries_accounts",
    keys: ["account_id"],
    earliest: `SELECT min(next_at) AS next_at FROM deliveries_lanes INDEXED BY deliveries_lanes_of_account
      WHERE account_id = ?`
  })
  const origin = makeLevel(db, {
    table: "deliveries_origins",
    keys: ["origin"],
    earliest: `SELECT min(next_at) AS next_at FROM deliveries_lanes INDEXED BY deliveries_lanes_of_origin
      WHERE origin = ?`
  })
  const touched = new Set<string>()
  return {
    touch: (accountId, origin) => {
      touched.add(CompositeKey.of(accountId, origin))
    },
    write: () => {
      const accounts = new Set<string>()
      const origins = new Set<string>()
      for (const key of touched) {
        const [accountId = "", origin = ""] = CompositeKey.partsOf(key)
        if (!lane(accountId, origin)) continue
        accounts.add(accountId)
        origins.add(origin)
      }
      for (const accountId of accounts) account(accountId)
      for (const name of origins) origin(name)
      touched.clear()
    },
    forget: () => touched.clear()
  }
}

/** Returns a function that updates the row of a key and tells whether it changed. */
const makeLevel = (
  db: DatabaseSync,
  {
    table,
    keys,
    earliest
  }: { readonly table: string; readonly keys: ReadonlyArray<string>; readonly earliest: string }
) => {
  const find = db.prepare(earliest)
  const put = db.prepare(`INSERT INTO ${table} VALUES (${keys.map(() => "?").join(", ")}, ?)
    ON CONFLICT (${keys.join(", ")}) DO UPDATE SET next_at = excluded.next_at WHERE next_at <> excluded.next_at`)
  const remove = db.prepare(`DELETE FROM ${table} WHERE ${keys.map((key) => `${key} = ?`).join(" AND ")}`)
  return (...key: ReadonlyArray<string>): boolean => {
    const nextAt = integerOrNull(find.get(...key)?.["next_at"])
    const { changes } = nextAt === null ? remove.run(...key) : put.run(...key, nextAt)
    return changes > 0
  }
}
