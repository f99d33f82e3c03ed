/** The logins of assistants: each is one permission by a user, bound to the key that it ends with. */
import { Context, type Effect } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import type { AccountId, KeyId } from "#domain/Ids.ts"
import type { AccountClosed, AccountNotFound } from "#src/features/accounts/Accounts.ts"
import type { Caller } from "#src/features/accounts/Caller.ts"
import type { TooManyKeys } from "#src/features/accounts/KeyErrors.ts"
import type { EventStoreError } from "#streams/EventReader.ts"
import type { SignedIn } from "./SignIn.ts"

export interface Login {
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

export class Logins extends Context.Service<
  Logins,
  {
    /** After a sign-in by password, a key is issued, named after the client. */
    make(options: {
      readonly signedIn: SignedIn
      readonly clientId: string
      readonly clientName: string
    }): Effect.Effect<Login, AccountNotFound | AccountClosed | TooManyKeys | EventStoreError | SqlError>
    /**
     * The caller of the login's tokens, limited to the scopes that tools need; `null` once the login has ended: its
     * key was revoked, rotated (also while the previous secret stays valid elsewhere) or has expired, its password
     * was changed or removed, or the login itself was ended.
     */
    caller(id: string): Effect.Effect<Caller | null, EventStoreError | SqlError>
    /** Ends the login permanently and revokes the key that was issued for it. Idempotent. */
    end(id: string): Effect.Effect<void, EventStoreError | SqlError>
  }
>()("inferlog/src/edges/oauth/Logins") {}
