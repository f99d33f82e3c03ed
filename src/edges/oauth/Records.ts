/**
 * The records of the authorization server: clients, pending authorizations, grants, codes and tokens, each with an
 * expiry. The file contains only hashes of their ids, because most ids are secrets.
 */
import { Clock, Context, Effect, Layer, Schema } from "effect"
import * as ApiKey from "#src/features/accounts/ApiKey.ts"
import { rows } from "#projections/ReadModels.ts"
import { OAuthDatabase } from "./OAuthDatabase.ts"

export type Payload = Readonly<Record<string, Schema.Json>>

export interface Found {
  readonly payload: Payload
  /** Unix time in ms; `null`: not used yet. */
  readonly consumedAt: number | null
}

/** A record by kind and id. */
interface Address {
  readonly model: string
  readonly id: string
}

const worthAWriteMs = 60 * 60 * 1_000

/** An unused refresh token is removed with its login, which is ended first (`Collection`). */
const endsAlone = "model <> 'RefreshToken' OR consumed_at IS NOT NULL"

interface NewRecord extends Address {
  readonly payload: Payload
  /** Unix time in ms. */
  readonly expiresAt: number
  readonly grantId: string | null
  readonly loginId: string | null
  /** The most unused records of the kind per login. Beyond that the oldest are removed. */
  readonly most?: number
}

const table = (sql: OAuthDatabase["Service"]) =>
  Effect.all(
    [
      sql`CREATE TABLE IF NOT EXISTS oauth_records (
        model TEXT NOT NULL,
        id TEXT NOT NULL,
        payload TEXT NOT NULL,
        grant_id TEXT,
        login_id TEXT,
        expires_at INTEGER NOT NULL,
        consumed_at INTEGER,
        PRIMARY KEY (model, id)
      ) STRICT, WITHOUT ROWID`,
      sql`CREATE INDEX IF NOT EXISTS oauth_records_by_grant ON oauth_records (grant_id) WHERE grant_id IS NOT NULL`,
      // Covers the queries for a login's tokens without reading rows.
      sql`CREATE INDEX IF NOT EXISTS oauth_records_by_login
        ON oauth_records (login_id, model, consumed_at, expires_at) WHERE login_id IS NOT NULL`,
      sql`CREATE INDEX IF NOT EXISTS oauth_records_by_end ON oauth_records (expires_at)
        WHERE ${sql.literal(endsAlone)}`,
      // For the number of clients, and for those that expire first.
      sql`CREATE INDEX IF NOT EXISTS oauth_records_by_model ON oauth_records (model, expires_at)`
    ],
    { discard: true }
  )

const Row = Schema.Struct({ payload: Schema.String, consumedAt: Schema.NullOr(Schema.Int) })
const decoded = rows(Row)
const counted = rows(Schema.Struct({ count: Schema.Int }))
const owned = rows(Schema.Struct({ loginId: Schema.NullOr(Schema.String) }))

const hashOf = ({ id }: Address): string => ApiKey.sha256Hex(id)

const make = Effect.gen(function* () {
  const sql = yield* OAuthDatabase
  yield* table(sql)

  /** Replaces a record with the same id. */
  const put = Effect.fn("Records.put")(function* (record: NewRecord) {
    const { expiresAt, grantId, loginId, model, most } = record
    const id = hashOf(record)
    const payload = JSON.stringify(record.payload)
    const insert = sql`
      INSERT INTO oauth_records (model, id, payload, grant_id, login_id, expires_at)
      VALUES (${model}, ${id}, ${payload}, ${grantId}, ${loginId}, ${expiresAt})
      ON CONFLICT DO UPDATE SET payload = excluded.payload, grant_id = excluded.grant_id,
        login_id = excluded.login_id, expires_at = excluded.expires_at`
    if (loginId === null || most === undefined) return yield* insert
    const removeOldest = sql`
      DELETE FROM oauth_records WHERE (model, id) IN (
        SELECT model, id FROM oauth_records
        WHERE login_id = ${loginId} AND model = ${model} AND consumed_at IS NULL AND id <> ${id}
        ORDER BY expires_at DESC LIMIT -1 OFFSET ${most - 1})`
    yield* sql.withTransaction(Effect.andThen(insert, removeOldest))
  })

  /** `null` once the record has expired. Runs with each tool call, so it must be fast. */
  const find = Effect.fnUntraced(function* (address: Address) {
    const now = yield* Clock.currentTimeMillis
    const [found] = yield* decoded(sql`
      SELECT payload, consumed_at AS "consumedAt" FROM oauth_records
      WHERE model = ${address.model} AND id = ${hashOf(address)} AND expires_at > ${now}`)
    if (found === undefined) return null
    const record: Found = { payload: JSON.parse(found.payload), consumedAt: found.consumedAt }
    return record
  })

  /**
   * Marks the record as used. From then on it is stored for at most `keepMs`, and while it is among the `mostUsed`
   * of its login that were used last. Returns `true` for the first use only.
   */
  const consume = Effect.fn("Records.consume")(function* (
    address: Address & { readonly keepMs: number; readonly mostUsed: number }
  ) {
    const { keepMs, model, mostUsed } = address
    const id = hashOf(address)
    const now = yield* Clock.currentTimeMillis
    const [changed] = yield* owned(sql`
      UPDATE oauth_records SET consumed_at = ${now}, expires_at = min(expires_at, ${now + keepMs})
      WHERE model = ${model} AND id = ${id} AND consumed_at IS NULL RETURNING login_id AS "loginId"`)
    if (changed === undefined) return false
    yield* sql`
      DELETE FROM oauth_records WHERE (model, id) IN (
        SELECT model, id FROM oauth_records
        WHERE login_id = ${changed.loginId} AND model = ${model} AND consumed_at IS NOT NULL AND id <> ${id}
        ORDER BY consumed_at DESC LIMIT -1 OFFSET ${mostUsed - 1})`
    return true
  }, sql.withTransaction)

  /** Whether the login has a record of the kind that was used later or is unused. */
  const isReplaced = Effect.fnUntraced(function* (model: string, loginId: string, consumedAt: number) {
    const later = yield* sql`
      SELECT 1 FROM oauth_records WHERE login_id = ${loginId} AND model = ${model}
        AND (consumed_at IS NULL OR consumed_at > ${consumedAt}) LIMIT 1`
    return later.length > 0
  })

  /** Moves the expiry to `expiresAt`, if the difference is worth a write. */
  const prolong = Effect.fn("Records.prolong")(function* (address: Address, expiresAt: number) {
    yield* sql`
      UPDATE oauth_records SET expires_at = ${expiresAt}
      WHERE model = ${address.model} AND id = ${hashOf(address)} AND expires_at < ${expiresAt - worthAWriteMs}`
  })

  const remove = Effect.fn("Records.remove")(function* (address: Address) {
    yield* sql`DELETE FROM oauth_records WHERE model = ${address.model} AND id = ${hashOf(address)}`
  })

  /** Removes all records of a kind under a grant. */
  const removeOfGrant = Effect.fn("Records.removeOfGrant")(function* (model: string, grantId: string) {
    yield* sql`DELETE FROM oauth_records WHERE grant_id = ${grantId} AND model = ${model}`
  })

  /** Removes all records of a login, including its grant. */
  const removeOfLogin = Effect.fn("Records.removeOfLogin")(function* (loginId: string) {
    yield* sql`DELETE FROM oauth_records WHERE login_id = ${loginId}`
  })

  /** Removes at most `limit` expired records, except unused refresh tokens, and returns their number. */
  const removeExpired = Effect.fn("Records.removeExpired")(function* (limit: number) {
    const now = yield* Clock.currentTimeMillis
    const removed = yield* sql`
      DELETE FROM oauth_records WHERE (model, id) IN (
        SELECT model, id FROM oauth_records
        WHERE expires_at <= ${now} AND (${sql.literal(endsAlone)}) LIMIT ${limit}) RETURNING 1`
    return removed.length
  })

  const count = Effect.fn("Records.count")(function* (model: string) {
    const [found] = yield* counted(sql`SELECT count(*) AS count FROM oauth_records WHERE model = ${model}`)
    return found?.count ?? 0
  })

  /** Removes the records of a kind that expire first. */
  const removeFirst = Effect.fn("Records.removeFirst")(function* (model: string, count: number) {
    yield* sql`
      DELETE FROM oauth_records WHERE (model, id) IN (
        SELECT model, id FROM oauth_records WHERE model = ${model} ORDER BY expires_at LIMIT ${count})`
  })

  return {
    put,
    find,
    consume,
    isReplaced,
    prolong,
    remove,
    removeOfGrant,
    removeOfLogin,
    removeExpired,
    count,
    removeFirst
  }
})

export class Records extends Context.Service<Records, Effect.Success<typeof make>>()(
  "inferlog/src/edges/oauth/Records"
) {
  static readonly layer = Layer.effect(Records, make)
}
