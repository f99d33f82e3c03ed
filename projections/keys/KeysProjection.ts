/** Accounts and their keys, for lists. No secret and no hash of one: keys are checked against their account's stream. */
import { AccountOpened, KeyIssued, KeyRevoked } from "#domain/account/Account.ts"
import { idOf } from "#streams/StreamName.ts"
import { text } from "../EventFields.ts"
import { on, type Projection } from "../Projection.ts"

const tables = `
  CREATE TABLE keys_accounts (
    account_id TEXT PRIMARY KEY,
    name TEXT NOT NULL,
    opened_at INTEGER NOT NULL
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
  version: 1,
  tables,
  open: (db) => {
    const open = db.prepare("INSERT INTO keys_accounts VALUES (?, ?, ?)")
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
        })
      ]
    }
  }
}
