/** The logins of assistants: each is one permission by a user, bound to the key that it ends with. */
import * as crypto from "node:crypto"
import { Clock, Context, Effect, Layer, Schema } from "effect"
import * as Grant from "#domain/account/Grant.ts"
import { AccountId, KeyId } from "#domain/Ids.ts"
import { rows } from "#projections/ReadModels.ts"
import { Accounts } from "#src/features/accounts/Accounts.ts"
import * as ApiKey from "#src/features/accounts/ApiKey.ts"
import { Authentication } from "#src/features/accounts/Authentication.ts"
import type { Caller } from "#src/features/accounts/Caller.ts"
import * as KeyCommands from "#src/features/accounts/KeyCommands.ts"
import { Passwords } from "#src/features/accounts/Passwords.ts"
import { OAuthDatabase } from "./OAuthDatabase.ts"
import type { SignedIn } from "./SignIn.ts"
import * as ToolScopes from "./ToolScopes.ts"

interface Login {
  /** Random; the subject of all tokens of the login. */
  readonly id: string
  readonly accountId: AccountId
  readonly keyId: KeyId
  /** The hash of the key's secret at the sign-in. A login ends when the secret changes. */
  readonly secretHash: string
  /** Whether the key was issued for this login and is revoked with it. */
  readonly ownsKey: boolean
  /** The mark of the password (`Passwords.mark`). A change of it ends the login. `null`: signed in with a key. */
  readonly passwordMark: string | null
  readonly clientId: string
  /** Unix time in ms. */
  readonly createdAt: number
}

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

const makeLogins = Effect.gen(function* () {
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

  /** After a sign-in by password, a key is issued, named after the client. */
  const make = Effect.fn("Logins.make")(function* (options: {
    readonly signedIn: SignedIn
    readonly clientId: string
    readonly clientName: string
  }) {
    const { clientId, clientName, signedIn } = options
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
  }, Effect.uninterruptible)

  /**
   * The caller of the login's tokens, limited to the scopes that tools need; `null` once the login has ended: its
   * key was revoked, rotated (also while the previous secret stays valid elsewhere) or has expired, its password
   * was changed or removed, or the login itself was ended.
   */
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
    const limited: Caller = { ...caller, grant: ToolScopes.ofTools(caller.grant) }
    return limited
  })

  /** Ends the login permanently and revokes the key that was issued for it. Idempotent. */
  const end = Effect.fn("Logins.end")(function* (id: string) {
    const login = yield* find(id)
    if (login === undefined) return
    // The key is revoked first, because a removed login no longer leads to its key.
    if (login.ownsKey)
      yield* Effect.catchTag(accounts.revokeKey(login.keyId), "KeyNotFound", () => Effect.void)
    yield* remove(id)
  })

  return { make, caller, end }
})

export class Logins extends Context.Service<Logins, Effect.Success<typeof makeLogins>>()(
  "inferlog/src/edges/oauth/Logins"
) {
  static readonly layer = Layer.effect(Logins, makeLogins)
}
