/** `Logins`, stored in the table `logins`. */
import * as crypto from "node:crypto"
import { Clock, Effect, Layer, Schema } from "effect"
import * as Grant from "#domain/account/Grant.ts"
import { AccountId, KeyId } from "#domain/Ids.ts"
import { rows } from "#projections/ReadModels.ts"
import { Accounts } from "#src/features/accounts/Accounts.ts"
import * as ApiKey from "#src/features/accounts/ApiKey.ts"
import { Authentication } from "#src/features/accounts/Authentication.ts"
import * as KeyCommands from "#src/features/accounts/KeyCommands.ts"
import { Passwords } from "#src/features/accounts/Passwords.ts"
import { type Login, Logins } from "./Logins.ts"
import { OAuthDatabase } from "./OAuthDatabase.ts"
import type { SignedIn } from "./SignIn.ts"
import * as ToolScopes from "./ToolScopes.ts"

const Row = Schema.Struct({
  id: Schema.String,
  accountId: AccountId,
  keyId: KeyId,
  secretHash: Schema.String,
  ownsKey: Schema.BooleanFromBit,
  passwordMark: Schema.NullOr(Schema.String),
  clientId: Schema.String,
  createdAt: Schema.Int
})
const decoded = rows(Row)

/** A valid name of keys and accounts: 100 characters without control characters (`accounts/Name`). */
const keyNameOf = (clientName: string): string =>
  [...`Assistant: ${clientName.toWellFormed().replaceAll(/\p{Cc}/gu, " ")}`].slice(0, 100).join("")

export const layer = Layer.effect(
  Logins,
  Effect.gen(function* () {
    const sql = yield* OAuthDatabase
    const accounts = yield* Accounts
    const authentication = yield* Authentication
    const passwords = yield* Passwords
    yield* sql`CREATE TABLE IF NOT EXISTS logins (
      id TEXT PRIMARY KEY NOT NULL,
      account_id TEXT NOT NULL,
      key_id TEXT NOT NULL,
      secret_hash TEXT NOT NULL,
      owns_key INTEGER NOT NULL,
      password_mark TEXT,
      client_id TEXT NOT NULL,
      created_at INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID`

    const find = Effect.fnUntraced(function* (id: string) {
      const [found] = yield* decoded(sql`
        SELECT id, account_id AS "accountId", key_id AS "keyId", secret_hash AS "secretHash", owns_key AS "ownsKey",
          password_mark AS "passwordMark", client_id AS "clientId", created_at AS "createdAt"
        FROM logins WHERE id = ${id}`)
      return found
    })

    const insert = (login: Login) => sql`
      INSERT INTO logins (id, account_id, key_id, secret_hash, owns_key, password_mark, client_id, created_at)
      VALUES (${login.id}, ${login.accountId}, ${login.keyId}, ${login.secretHash}, ${login.ownsKey ? 1 : 0},
        ${login.passwordMark}, ${login.clientId}, ${login.createdAt})`

    const remove = (id: string) => sql`DELETE FROM logins WHERE id = ${id}`

    /** Undoes a failed sign-in. `Collection` removes what a crash leaves: the login leads to the key. */
    const undo = ({ id, keyId }: Login, error: Effect.Error<ReturnType<typeof accounts.issueKey>>) => {
      const mayBeIssued = error._tag === "EventStoreError" && error.isAbsent !== true
      return Effect.andThen(mayBeIssued ? accounts.revokeKey(keyId) : Effect.void, remove(id)).pipe(
        Effect.ignore({ log: true })
      )
    }

    /** Stored before its key is valid, so that no key exists without its login. */
    const makeWithKey = Effect.fnUntraced(function* (
      { accountId, passwordMark }: Extract<SignedIn, { readonly _tag: "ByPassword" }>,
      beginning: Pick<Login, "id" | "clientId" | "createdAt">,
      clientName: string
    ) {
      const key = KeyCommands.make(accountId)
      const secretHash = ApiKey.hashSecret(key.secret)
      const login = { ...beginning, accountId, keyId: key.keyId, secretHash, ownsKey: true, passwordMark }
      yield* insert(login)
      const grant = ToolScopes.ofTools(Grant.unlimited)
      yield* accounts
        .issueKey({ accountId, name: keyNameOf(clientName), grant, key })
        .pipe(Effect.tapError((error) => undo(login, error)))
      return login
    })

    const make = Effect.fn("Logins.make")(function* ({
      clientId,
      clientName,
      signedIn
    }: Parameters<Logins["Service"]["make"]>[0]) {
      const id = crypto.randomBytes(16).toString("base64url")
      const beginning = { id, clientId, createdAt: yield* Clock.currentTimeMillis }
      switch (signedIn._tag) {
        case "ByKey": {
          const { caller, presented } = signedIn
          const ofKey = { accountId: caller.accountId, ...presented, ownsKey: false, passwordMark: null }
          const login: Login = { ...beginning, ...ofKey }
          yield* insert(login)
          return login
        }
        case "ByPassword":
          return yield* makeWithKey(signedIn, beginning, clientName)
      }
    })

    const caller = Effect.fnUntraced(function* (id: string) {
      const login = yield* find(id)
      if (login === undefined) return null
      const { accountId, passwordMark } = login
      if (passwordMark !== null && passwordMark !== (yield* passwords.mark(accountId))) return null
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
      // The key is revoked first, because a removed login no longer leads to its key.
      if (login.ownsKey)
        yield* Effect.catchTag(accounts.revokeKey(login.keyId), "KeyNotFound", () => Effect.void)
      yield* remove(id)
    })

    return Logins.of({ make: (options) => Effect.uninterruptible(make(options)), caller, end })
  })
)
