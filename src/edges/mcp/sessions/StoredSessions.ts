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
  /** Unix time in ms. */
  readonly openedAt: number
}

export interface Use {
  readonly hash: string
  /** Unix time in ms. */
  readonly openedAt: number
  /** Of the last call that was written, Unix time in ms; `null` while there was none. */
  readonly calledAt: number | null
}

export interface StoredSessions {
  /**
   * And removes, in the same commit, those that `toGo` names of the others of its key where these are more than `mostOthers`:
   * only then it is asked, given them and how many are too many. Their hashes.
   */
  readonly insert: (
    session: StoredSession,
    mostOthers: number,
    toGo: (others: ReadonlyArray<Use>, surplus: number) => ReadonlyArray<string>
  ) => Effect.Effect<ReadonlyArray<string>, SqlError>
  readonly find: (hash: string) => Effect.Effect<(StoredSession & Use) | undefined, SqlError>
  /** Writes down a call. */
  readonly touch: (hash: string, calledAt: number) => Effect.Effect<void, SqlError>
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
  // With all of a `Use`: the rows, with their long texts, are not read for it.
  yield* sql`CREATE INDEX IF NOT EXISTS mcp_sessions_uses ON mcp_sessions (key_id, used_at, created_at, hash)`
  yield* sql`CREATE INDEX IF NOT EXISTS mcp_sessions_used ON mcp_sessions (used_at)`

  const remove: StoredSessions["remove"] = (hashes) =>
    hashes.length === 0 ? Effect.void : sql`DELETE FROM mcp_sessions WHERE ${sql.in("hash", hashes)}`

  /** What was called was used later than it was opened: see `touch`. */
  const use = sql.literal(
    `hash, created_at AS "openedAt", CASE WHEN used_at > created_at THEN used_at END AS "calledAt"`
  )
  const ofKey: StoredSessions["ofKey"] = (keyId) =>
    sql<Use>`SELECT ${use} FROM mcp_sessions WHERE key_id = ${keyId}`

  const countOf = (keyId: KeyId) =>
    Effect.map(
      sql<{ readonly total: number }>`SELECT COUNT(*) AS total FROM mcp_sessions WHERE key_id = ${keyId}`,
      ([row]) => row?.total ?? 0
    )

  const insert: StoredSessions["insert"] = Effect.fnUntraced(function* (
    { accountId, hash, initialize, keyId, openedAt, protocolVersion },
    mostOthers,
    toGo
  ) {
    const surplus = (yield* countOf(keyId)) - mostOthers
    const hashes = surplus > 0 ? toGo(yield* ofKey(keyId), surplus) : []
    yield* remove(hashes)
    yield* sql`
        INSERT INTO mcp_sessions (hash, account_id, key_id, initialize, protocol_version, created_at, used_at)
        VALUES (${hash}, ${accountId}, ${keyId}, ${initialize}, ${protocolVersion}, ${openedAt}, ${openedAt})`
    return hashes
  }, sql.withTransaction)

  return {
    insert,
    find: (hash) =>
      Effect.map(
        sql<StoredSession & Use>`
          SELECT ${use}, account_id AS "accountId", key_id AS "keyId", initialize,
            protocol_version AS "protocolVersion"
          FROM mcp_sessions WHERE hash = ${hash}`,
        ([found]) => found
      ),
    touch: (hash, calledAt) =>
      sql`UPDATE mcp_sessions SET used_at = MAX(${calledAt}, used_at, created_at + 1) WHERE hash = ${hash}`,
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
