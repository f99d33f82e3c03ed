/** Accounts and their keys, for lists. No secret and no hash of one: keys are checked against their account's stream. */
import {
  AccountErased,
  AccountOpened,
  KeyIssued,
  KeyRevoked,
  LimitsChanged
} from "#domain/account/Account.ts"
import { idOf } from "#streams/StreamName.ts"
import { integerIfAny, integerOrNull, text } from "../EventFields.ts"
import { on, onType, type Projection } from "../Projection.ts"

const tables = `
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
  CREATE TABLE keys_keys (
    key_id TEXT NOT NULL,
    account_id TEXT NOT NULL,
    name TEXT NOT NULL,
    issued_at INTEGER NOT NULL,
    revoked_at INTEGER,
    PRIMARY KEY (key_id, account_id)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX keys_by_account ON keys_keys (account_id);
`

export const projection: Projection = {
  name: "keys",
  version: 3,
  tables,
  open: (db) => {
    const open = db.prepare("INSERT INTO keys_accounts (account_id, name, opened_at) VALUES (?, ?, ?)")
    const limit = db.prepare(
      "UPDATE keys_accounts SET credit_limit = ?, max_open_requests = ?, max_stored = ? WHERE account_id = ?"
    )
    const erase = db.prepare("UPDATE keys_accounts SET erased_at = ? WHERE account_id = ?")
    const revokeAll = db.prepare(
      "UPDATE keys_keys SET revoked_at = ? WHERE account_id = ? AND revoked_at IS NULL"
    )
    const issue = db.prepare("INSERT INTO keys_keys VALUES (?, ?, ?, ?, NULL)")
    const revoke = db.prepare("UPDATE keys_keys SET revoked_at = ? WHERE key_id = ? AND account_id = ?")
    return {
      rules: [
        on(AccountOpened, (data, { stream, time }) => {
          open.run(idOf(stream), text(data, "name"), time)
        }),
        on(KeyIssued, (data, { stream, time }) => {
          issue.run(text(data, "keyId"), idOf(stream), text(data, "name"), time)
        }),
        on(KeyRevoked, (data, { stream, time }) => {
          revoke.run(time, text(data, "keyId"), idOf(stream))
        }),
        on(LimitsChanged, (data, { stream }) => {
          const maxOpen = integerOrNull(data, "maxOpenRequests")
          const maxStored = data["maxStoredBytes"] === null ? null : integerIfAny(data, "maxStoredBytes")
          limit.run(text(data, "creditLimit"), maxOpen, maxStored, idOf(stream))
        }),
        onType(AccountErased, ({ stream, time }) => {
          erase.run(time, idOf(stream))
          revokeAll.run(time, idOf(stream))
        })
      ]
    }
  }
}
