/** The stored part of sessions, their owners and opening messages, so that they can be opened again (`mcp_sessions`). */
import { Effect } from "effect"
import type { SqlClient } from "effect/sql/SqlClient"
import type { AccountId, KeyId } from "#domain/Ids.ts"

export interface Owner {
  readonly accountId: AccountId
  readonly keyId: KeyId
}

interface StoredSession extends Owner {
  /** Hash of the session's id. */
  readonly hash: string
  /** The text of the message that opened it. */
  readonly initialize: string
  /** The negotiated version. */
  readonly protocolVersion: string
  /** Unix time in ms. */
  readonly openedAt: number
}

export interface Use {
  readonly hash: string
  /** Unix time in ms. */
  readonly openedAt: number
  /** Time of the last stored call, Unix time in ms; `null` without one. */
  readonly calledAt: number | null
}

/** Creates the table if it does not exist. */
export const make = Effect.fnUntraced(function* (sql: SqlClient) {
  yield* sql`CREATE TABLE IF NOT EXISTS mcp_sessions (
    hash TEXT NOT NULL PRIMARY KEY,
    account_id TEXT NOT NULL,
    key_id TEXT NOT NULL,
    initialize TEXT NOT NULL,
    protocol_version TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    used_at INTEGER NOT NULL
  ) STRICT`
  // Contains all columns of a `Use`, so that the rows with their long texts are not read.
  yield* sql`CREATE INDEX IF NOT EXISTS mcp_sessions_uses ON mcp_sessions (key_id, used_at, created_at, hash)`
  yield* sql`CREATE INDEX IF NOT EXISTS mcp_sessions_used ON mcp_sessions (used_at)`

  const remove = (hashes: ReadonlyArray<string>) =>
    hashes.length === 0
      ? Effect.void
      : Effect.asVoid(sql`DELETE FROM mcp_sessions WHERE ${sql.in("hash", hashes)}`)

  /** A called session was last used at its call (see `touch`), any other at its opening. */
  const use = sql.literal(
    `hash, created_at AS "openedAt", CASE WHEN used_at > created_at THEN used_at END AS "calledAt"`
  )
  const ofKey = (keyId: KeyId) => sql<Use>`SELECT ${use} FROM mcp_sessions WHERE key_id = ${keyId}`

  const countOf = (keyId: KeyId) =>
    Effect.map(
      sql<{ readonly total: number }>`SELECT COUNT(*) AS total FROM mcp_sessions WHERE key_id = ${keyId}`,
      ([row]) => row?.total ?? 0
    )

  /** Inserts the session; beyond `mostOthers` of its key, removes those that `toGo` chooses and returns their hashes. */
  const insert = Effect.fnUntraced(function* (
    { accountId, hash, initialize, keyId, openedAt, protocolVersion }: StoredSession,
    mostOthers: number,
    toGo: (others: ReadonlyArray<Use>, surplus: number) => ReadonlyArray<string>
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
    find: (hash: string) =>
      Effect.map(
        sql<StoredSession & Use>`
          SELECT ${use}, account_id AS "accountId", key_id AS "keyId", initialize,
            protocol_version AS "protocolVersion"
          FROM mcp_sessions WHERE hash = ${hash}`,
        ([found]) => found
      ),
    /** Stores the time of a call. */
    touch: (hash: string, calledAt: number) =>
      sql`UPDATE mcp_sessions SET used_at = MAX(${calledAt}, used_at, created_at + 1) WHERE hash = ${hash}`,
    remove,
    ofKey,
    /** Removes sessions not used since `usedBefore`, and the oldest of the others beyond `most`. Returns their hashes. */
    prune: (usedBefore: number, most: number) =>
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
