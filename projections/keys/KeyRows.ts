/** The rows of keys. */
import type { DatabaseSync } from "node:sqlite"
import { type Columns, integer, integerOrNull, text, textOrNull } from "../batch/Columns.ts"
import * as Rows from "../batch/Rows.ts"

/**
 * `by_time` has the order of an account's list. The columns of the grant have only what differs from `Grant.unlimited`,
 * lists as JSON; `monthly_budget` is nano-USD.
 */
export const tables = `
  CREATE TABLE keys_keys (
    key_id TEXT NOT NULL,
    account_id TEXT NOT NULL,
    name TEXT NOT NULL,
    issued_at INTEGER NOT NULL,
    scopes TEXT,
    model_endpoints TEXT,
    monthly_budget TEXT,
    expires_at INTEGER,
    origins TEXT,
    rotated_at INTEGER,
    revoked_at INTEGER,
    last_used_at INTEGER,
    PRIMARY KEY (key_id, account_id)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX keys_by_account ON keys_keys (account_id);
  CREATE INDEX keys_by_time ON keys_keys (account_id, issued_at, key_id);
`

/** The fields of `KeyIssued`, which never change. Times are Unix time in ms. */
export interface Issued {
  readonly name: string
  readonly issuedAt: number
  readonly scopes: string | null
  readonly modelEndpoints: string | null
  readonly monthlyBudget: string | null
  readonly expiresAt: number | null
  readonly origins: string | null
}

export interface KeyRow extends Issued {
  rotatedAt: number | null
  revokedAt: number | null
  /** The minute in which the key last submitted a request or announced a file. */
  lastUsedAt: number | null
}

/** A key of an account. Another account could have a key with the same id. */
export type KeyOfAccount = `${string} ${string}`

export const keyOf = (accountId: string, keyId: string): KeyOfAccount => `${accountId} ${keyId}`

const partsOf = (key: KeyOfAccount): readonly [accountId: string, keyId: string] => {
  const end = key.indexOf(" ")
  return [key.slice(0, end), key.slice(end + 1)]
}

export const make = (db: DatabaseSync): Rows.Rows<KeyRow, KeyOfAccount> => {
  const find = db.prepare("SELECT * FROM keys_keys WHERE account_id = ? AND key_id = ?")
  const insert =
    db.prepare(`INSERT INTO keys_keys (account_id, key_id, name, issued_at, scopes, model_endpoints,
    monthly_budget, expires_at, origins, rotated_at, revoked_at, last_used_at)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`)
  const update = db.prepare(`UPDATE keys_keys SET rotated_at = ?, revoked_at = ?, last_used_at = ?
    WHERE account_id = ? AND key_id = ?`)
  const remove = db.prepare("DELETE FROM keys_keys WHERE account_id = ? AND key_id = ?")

  const changing = (row: KeyRow) => [row.rotatedAt, row.revokedAt, row.lastUsedAt] as const

  return Rows.make<KeyRow, KeyOfAccount>({
    load: (key) => {
      const columns = find.get(...partsOf(key))
      return columns && rowOf(columns)
    },
    insert: (key, row) => {
      const { expiresAt, issuedAt, modelEndpoints, monthlyBudget, name, origins, scopes } = row
      const granted = [scopes, modelEndpoints, monthlyBudget, expiresAt, origins] as const
      insert.run(...partsOf(key), name, issuedAt, ...granted, ...changing(row))
    },
    update: (key, row) => update.run(...changing(row), ...partsOf(key)),
    remove: (key) => remove.run(...partsOf(key))
  })
}

const rowOf = (columns: Columns): KeyRow => ({
  name: text(columns["name"]),
  issuedAt: integer(columns["issued_at"]),
  scopes: textOrNull(columns["scopes"]),
  modelEndpoints: textOrNull(columns["model_endpoints"]),
  monthlyBudget: textOrNull(columns["monthly_budget"]),
  expiresAt: integerOrNull(columns["expires_at"]),
  origins: textOrNull(columns["origins"]),
  rotatedAt: integerOrNull(columns["rotated_at"]),
  revokedAt: integerOrNull(columns["revoked_at"]),
  lastUsedAt: integerOrNull(columns["last_used_at"])
})
