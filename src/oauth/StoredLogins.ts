/** `Logins` in the table `logins`. */
import * as crypto from "node:crypto"
import { Clock, Effect, Layer, Schema } from "effect"
import { AccountId, KeyId } from "#domain/Ids.ts"
import { rows } from "#projections/ReadModels.ts"
import { Accounts } from "#src/accounts/Accounts.ts"
import * as ApiKey from "#src/accounts/ApiKey.ts"
import { Authentication } from "#src/accounts/Authentication.ts"
import * as Grant from "#domain/account/Grant.ts"
import { type Login, Logins } from "./Logins.ts"
import { OAuthDatabase } from "./OAuthDatabase.ts"
import type { SignedIn } from "./SignIn.ts"
import * as ToolScopes from "./ToolScopes.ts"

const Row = Schema.Struct({
  id: Schema.String,
  accountId: AccountId,
  keyId: KeyId,
  secretHash: Schema.String,
  ownsKey: Schema.Int,
  clientId: Schema.String,
  createdAt: Schema.Int
})
const decoded = rows(Row)

/** Of keys and accounts: 100 characters, none a control character (`accounts/Name`). */
const keyNameOf = (clientName: string): string =>
  [...`Assistant: ${clientName.toWellFormed().replaceAll(/\p{Cc}/gu, " ")}`].slice(0, 100).join("")

export const layer = Layer.effect(
  Logins,
  Effect.gen(function* () {
    const sql = yield* OAuthDatabase
    const accounts = yield* Accounts
    const authentication = yield* Authentication
    yield* sql`CREATE TABLE IF NOT EXISTS logins (
      id TEXT PRIMARY KEY NOT NULL,
      account_id TEXT NOT NULL,
      key_id TEXT NOT NULL,
      secret_hash TEXT NOT NULL,
      owns_key INTEGER NOT NULL,
      client_id TEXT NOT NULL,
      created_at INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID`

    const find = Effect.fnUntraced(function* (id: string) {
      const [found] = yield* decoded(sql`
        SELECT id, account_id AS "accountId", key_id AS "keyId", secret_hash AS "secretHash", owns_key AS "ownsKey",
          client_id AS "clientId", created_at AS "createdAt"
        FROM logins WHERE id = ${id}`)
      return found
    })

    /** The key that a login lives with. */
    const keyOf = Effect.fnUntraced(function* (signedIn: SignedIn, clientName: string) {
      switch (signedIn._tag) {
        case "ByKey": {
          const { caller, presented } = signedIn
          return { accountId: caller.accountId, ...presented, ownsKey: false }
        }
        case "ByPassword": {
          const { accountId } = signedIn
          const grant = ToolScopes.ofTools(Grant.unlimited)
          const key = yield* accounts.issueKey({ accountId, name: keyNameOf(clientName), grant })
          return { accountId, keyId: key.keyId, secretHash: ApiKey.hashSecret(key.secret), ownsKey: true }
        }
      }
    })

    const make = Effect.fn("Logins.make")(function* ({
      clientId,
      clientName,
      signedIn
    }: Parameters<Logins["Service"]["make"]>[0]) {
      const login: Login = {
        id: crypto.randomBytes(16).toString("base64url"),
        ...(yield* keyOf(signedIn, clientName)),
        clientId,
        createdAt: yield* Clock.currentTimeMillis
      }
      yield* sql`
        INSERT INTO logins (id, account_id, key_id, secret_hash, owns_key, client_id, created_at)
        VALUES (${login.id}, ${login.accountId}, ${login.keyId}, ${login.secretHash}, ${login.ownsKey ? 1 : 0},
          ${clientId}, ${login.createdAt})`
      return login
    })

    const caller = Effect.fnUntraced(function* (id: string) {
      const login = yield* find(id)
      if (login === undefined) return null
      const caller = yield* Effect.catchTag(
        authentication.recognize({ keyId: login.keyId, secretHash: login.secretHash }),
        "Unauthorized",
        () => Effect.succeed(null)
      )
      if (caller === null || caller.isSuperseded) return null
      return { ...caller, grant: ToolScopes.ofTools(caller.grant) }
    })

    const end = Effect.fn("Logins.end")(function* (id: string) {
      const login = yield* find(id)
      if (login === undefined) return
      // The key first: a login that is gone leads to no key any more.
      if (login.ownsKey === 1)
        yield* Effect.catchTag(accounts.revokeKey(login.keyId), "KeyNotFound", () => Effect.void)
      yield* sql`DELETE FROM logins WHERE id = ${id}`
    })

    return Logins.of({ make: (options) => Effect.uninterruptible(make(options)), caller, end })
  })
)
