/** Accounts and their keys, for lists. No secret and no hash of one: keys are checked against their account's stream. */
import { Schema } from "effect"
import { AccountOpened, KeyIssued, KeyRevoked } from "#domain/account/Account.ts"
import { idOf } from "#streams/StreamName.ts"
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
    const Named = Schema.Struct({ name: Schema.String })
    return [
      on(AccountOpened, Named, ({ name }, { stream, time }) => {
        open.run(idOf(stream), name, time)
      }),
      on(
        KeyIssued,
        Schema.Struct({ keyId: Schema.String, name: Schema.String }),
        ({ keyId, name }, event) => {
          issue.run(keyId, idOf(event.stream), name, event.time)
        }
      ),
      on(KeyRevoked, Schema.Struct({ keyId: Schema.String }), ({ keyId }, { stream, time }) => {
        revoke.run(time, keyId, idOf(stream))
      })
    ]
  }
}
