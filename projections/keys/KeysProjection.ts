/**
 * Accounts, their keys and the keys of workers, for lists. Contains no secrets and no hashes of secrets: authentication
 * reads the stream of the account or of the key.
 */
import {
  AccountErased,
  AccountOpened,
  KeyIssued,
  KeyRevoked,
  KeyRotated,
  LimitsChanged
} from "#domain/account/Event.ts"
import { Scope } from "#domain/account/Grant.ts"
import type { JsonObject } from "#domain/CanonicalJson.ts"
import { UploadInitiated } from "#domain/file/Event.ts"
import { RequestSubmitted } from "#domain/inference-request/Event.ts"
import type { RecordedEvent } from "#streams/RecordedEvent.ts"
import { idOf } from "#streams/StreamName.ts"
import { amount, integer, integerIfAny, integerOrNull, someOf, text } from "../EventFields.ts"
import { on, onType, type Projection } from "../Projection.ts"
import * as KeyRows from "./KeyRows.ts"
import * as WorkerKeyRows from "./WorkerKeyRows.ts"

const accountTables = `
  CREATE TABLE keys_accounts (
    account_id TEXT PRIMARY KEY,
    name TEXT NOT NULL,
    opened_at INTEGER NOT NULL,
    -- nano-USD
    credit_limit TEXT NOT NULL DEFAULT '0',
    max_open_requests INTEGER,
    -- bytes
    max_stored INTEGER,
    erased_at INTEGER
  ) STRICT, WITHOUT ROWID;
`

/** The precision of a key's last use. It is written at most once per minute. */
const minuteMs = 60_000

const isGiven = (data: JsonObject, field: string): boolean => (data[field] ?? null) !== null

const issued = (data: JsonObject, issuedAt: number): KeyRows.Issued => ({
  name: text(data, "name"),
  issuedAt,
  scopes: isGiven(data, "scopes") ? JSON.stringify(someOf(data, "scopes", Scope.literals)) : null,
  modelEndpoints: isGiven(data, "modelEndpoints") ? JSON.stringify(data["modelEndpoints"]) : null,
  monthlyBudget: isGiven(data, "monthlyBudget") ? String(amount(data, "monthlyBudget")) : null,
  expiresAt: isGiven(data, "expiresAt") ? integer(data, "expiresAt") : null,
  origins: isGiven(data, "origins") ? JSON.stringify(data["origins"]) : null
})

export const projection: Projection = {
  name: "keys",
  version: 6,
  tables: accountTables + KeyRows.tables + WorkerKeyRows.tables,
  open: (db) => {
    const open = db.prepare("INSERT INTO keys_accounts (account_id, name, opened_at) VALUES (?, ?, ?)")
    const limit = db.prepare(
      "UPDATE keys_accounts SET credit_limit = ?, max_open_requests = ?, max_stored = ? WHERE account_id = ?"
    )
    const erase = db.prepare("UPDATE keys_accounts SET erased_at = ? WHERE account_id = ?")
    const revokeAll = db.prepare(
      "UPDATE keys_keys SET revoked_at = ? WHERE account_id = ? AND revoked_at IS NULL"
    )
    const rows = KeyRows.make(db)

    const edit = (data: JsonObject, { stream }: RecordedEvent) =>
      rows.edit(KeyRows.keyOf(idOf(stream), text(data, "keyId")))

    /** Read for every request, written once a minute. */
    const used = (data: JsonObject, { time }: RecordedEvent) => {
      const key = KeyRows.keyOf(text(data, "accountId"), text(data, "keyId"))
      const minute = time - (time % minuteMs)
      const row = rows.look(key)
      if (row === undefined || (row.lastUsedAt ?? 0) >= minute) return
      const changed = rows.edit(key)
      if (changed !== undefined) changed.lastUsedAt = minute
    }

    const rules = [
      on(AccountOpened, (data, { stream, time }) => {
        open.run(idOf(stream), text(data, "name"), time)
      }),
      on(KeyIssued, (data, { stream, time }) => {
        const key = KeyRows.keyOf(idOf(stream), text(data, "keyId"))
        rows.add(key, { ...issued(data, time), rotatedAt: null, revokedAt: null, lastUsedAt: null })
      }),
      on(KeyRotated, (data, event) => {
        const row = edit(data, event)
        if (row !== undefined) row.rotatedAt = event.time
      }),
      on(KeyRevoked, (data, event) => {
        const row = edit(data, event)
        if (row !== undefined) row.revokedAt = event.time
      }),
      on(RequestSubmitted, used),
      on(UploadInitiated, used),
      on(LimitsChanged, (data, { stream }) => {
        const maxOpen = integerOrNull(data, "maxOpenRequests")
        const maxStored = data["maxStoredBytes"] === null ? null : integerIfAny(data, "maxStoredBytes")
        limit.run(text(data, "creditLimit"), maxOpen, maxStored, idOf(stream))
      }),
      onType(AccountErased, ({ stream, time }) => {
        erase.run(time, idOf(stream))
        // Includes keys of this batch.
        rows.write()
        revokeAll.run(time, idOf(stream))
      }),
      ...WorkerKeyRows.rules(db)
    ]
    return { rules, buffers: [rows] }
  }
}
