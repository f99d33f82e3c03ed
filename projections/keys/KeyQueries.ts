/** The statements of `Keys`. */
import type { SqlClient } from "effect/sql/SqlClient"
import { unlimited } from "#domain/account/Grant.ts"
import type { AccountId, KeyId } from "#domain/Ids.ts"
import type { Part } from "../Page.ts"

/** Where a page ended. The next page starts after it, whatever was added since. */
export interface PageKey {
  /** Unix time in ms. */
  readonly issuedAt: number
  readonly keyId: string
}

/** For keys without scopes on the log: all scopes. */
const everyScope = JSON.stringify(unlimited.scopes)

const columns = (sql: SqlClient) => sql`key_id AS "keyId", keys_keys.name,
  COALESCE(scopes, ${everyScope}) AS scopes, model_endpoints AS "modelEndpoints",
  monthly_budget AS "monthlyBudget", expires_at AS "expiresAt", origins, issued_at AS "issuedAt",
  rotated_at AS "rotatedAt", revoked_at AS "revokedAt", last_used_at AS "lastUsedAt"`

/** By id, with their accounts. */
export const list = (
  sql: SqlClient,
  options: { readonly accountId?: AccountId; readonly after: KeyId | null; readonly limit: number }
) => {
  const { accountId, after, limit } = options
  return sql`
    SELECT ${columns(sql)}, account_id AS "accountId", keys_accounts.name AS "accountName"
    FROM keys_keys JOIN keys_accounts USING (account_id)
    WHERE key_id > ${after ?? ""} AND ${accountId === undefined ? sql`TRUE` : sql`account_id = ${accountId}`}
    ORDER BY key_id LIMIT ${limit}`
}

/** Newest first. */
export const ofAccount = (sql: SqlClient, accountId: AccountId, { after, limit, offset }: Part<PageKey>) => {
  const behind = after === null ? sql`TRUE` : sql`(issued_at, key_id) < (${after.issuedAt}, ${after.keyId})`
  return sql`
    SELECT ${columns(sql)} FROM keys_keys WHERE account_id = ${accountId} AND ${behind}
    ORDER BY issued_at DESC, key_id DESC
    LIMIT ${limit} OFFSET ${offset}`
}

export const countOfAccount = (sql: SqlClient, accountId: AccountId) =>
  sql`SELECT COUNT(*) AS total FROM keys_keys WHERE account_id = ${accountId}`

export const lastUsedAt = (
  sql: SqlClient,
  { accountId, keyId }: { readonly accountId: AccountId; readonly keyId: KeyId }
) => sql`
  SELECT last_used_at AS "lastUsedAt" FROM keys_keys WHERE key_id = ${keyId} AND account_id = ${accountId}`

/** By id. */
export const workers = (
  sql: SqlClient,
  { after, limit }: { readonly after: KeyId | null; readonly limit: number }
) => sql`
  SELECT key_id AS "keyId", name, model_endpoints AS "modelEndpoints", issued_at AS "issuedAt",
    expires_at AS "expiresAt", rotated_at AS "rotatedAt", revoked_at AS "revokedAt"
  FROM keys_workers WHERE key_id > ${after ?? ""} ORDER BY key_id LIMIT ${limit}`

export const accounts = (
  sql: SqlClient,
  { after, limit }: { readonly after: AccountId | null; readonly limit: number }
) => sql`
  SELECT account_id AS "accountId", name, opened_at AS "openedAt", erased_at AS "erasedAt",
    credit_limit AS "creditLimit", max_open_requests AS "maxOpenRequests", max_stored AS "maxStoredBytes"
  FROM keys_accounts WHERE account_id > ${after ?? ""} ORDER BY account_id LIMIT ${limit}`
