/**
 * What is kept of sessions beyond the process: whose they are, and how they were opened, so that they can be opened again
 * without their clients' noticing (table `mcp_sessions`).
 */
import { Effect } from "effect"
import type { SqlClient } from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import type { AccountId, KeyId } from "#domain/Ids.ts"

export interface Owner {
  readonly accountId: AccountId
  readonly keyId: KeyId
}

export interface StoredSession extends Owner {
  /** Of its id. */
  readonly hash: string
  /** The text of the message that opened it. */
  readonly initialize: string
  /** As agreed on. */
  readonly protocolVersion: string
  /** Unix time in ms, as of the last time that it was written. */
  readonly usedAt: number
}

export type Use = Pick<StoredSession, "hash" | "usedAt">

export interface StoredSessions {
  /** And removes those of its key that `surplus` names, given all of them, in the same commit. Their hashes. */
  readonly insert: (
    session: StoredSession,
    surplus: (ofKey: ReadonlyArray<Use>) => ReadonlyArray<string>
  ) => Effect.Effect<ReadonlyArray<string>, SqlError>
  readonly find: (hash: string) => Effect.Effect<StoredSession | undefined, SqlError>
  readonly touch: (hash: string, usedAt: number) => Effect.Effect<void, SqlError>
  readonly remove: (hashes: ReadonlyArray<string>) => Effect.Effect<void, SqlError>
  readonly ofKey: (keyId: KeyId) => Effect.Effect<ReadonlyArray<Use>, SqlError>
  /** Removes those that were not used since `usedBefore`, and of the others the oldest beyond `most`. Their hashes. */
  readonly prune: (options: {
    readonly usedBefore: number
    readonly most: number
  }) => Effect.Effect<ReadonlyArray<string>, SqlError>
  readonly owners: Effect.Effect<ReadonlyArray<Owner>, SqlError>
}

/** Makes the table where there is none. */
export const make = Effect.fnUntraced(function* (sql: SqlClient): Effect.fn.Return<StoredSessions, SqlError> {
  yield* sql`CREATE TABLE IF NOT EXISTS mcp_sessions (
    hash TEXT NOT NULL PRIMARY KEY,
    account_id TEXT NOT NULL,
    key_id TEXT NOT NULL,
    initialize TEXT NOT NULL,
    protocol_version TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    used_at INTEGER NOT NULL
  ) STRICT`
  yield* sql`CREATE INDEX IF NOT EXISTS mcp_sessions_of_key ON mcp_sessions (key_id, used_at)`
  yield* sql`CREATE INDEX IF NOT EXISTS mcp_sessions_used ON mcp_sessions (used_at)`

  const remove: StoredSessions["remove"] = (hashes) =>
    hashes.length === 0 ? Effect.void : sql`DELETE FROM mcp_sessions WHERE ${sql.in("hash", hashes)}`

  const ofKey: StoredSessions["ofKey"] = (keyId) =>
    sql<Use>`SELECT hash, used_at AS "usedAt" FROM mcp_sessions WHERE key_id = ${keyId}`

  const insert: StoredSessions["insert"] = Effect.fnUntraced(function* (
    { accountId, hash, initialize, keyId, protocolVersion, usedAt },
    surplus
  ) {
    yield* sql`
        INSERT INTO mcp_sessions (hash, account_id, key_id, initialize, protocol_version, created_at, used_at)
        VALUES (${hash}, ${accountId}, ${keyId}, ${initialize}, ${protocolVersion}, ${usedAt}, ${usedAt})`
    const hashes = surplus(yield* ofKey(keyId))
    yield* remove(hashes)
    return hashes
  }, sql.withTransaction)

  return {
    insert,
    find: (hash) =>
      Effect.map(
        sql<StoredSession>`
          SELECT hash, account_id AS "accountId", key_id AS "keyId", initialize,
            protocol_version AS "protocolVersion", used_at AS "usedAt"
          FROM mcp_sessions WHERE hash = ${hash}`,
        ([found]) => found
      ),
    touch: (hash, usedAt) => sql`UPDATE mcp_sessions SET used_at = ${usedAt} WHERE hash = ${hash}`,
    remove,
    ofKey,
    prune: ({ most, usedBefore }) =>
      Effect.map(
        sql<{ readonly hash: string }>`
          DELETE FROM mcp_sessions
          WHERE used_at < ${usedBefore} OR hash IN (
            SELECT hash FROM mcp_sessions ORDER BY used_at DESC LIMIT -1 OFFSET ${most}
          )
          RETURNING hash`,
        (rows) => rows.map(({ hash }) => hash)
      ),
    owners: sql<Owner>`SELECT DISTINCT account_id AS "accountId", key_id AS "keyId" FROM mcp_sessions`
  }
})
