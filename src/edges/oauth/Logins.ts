/** What people have allowed assistants: one login each time, with the key that it lives and dies with. */
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
  /** Of the key's secret when it was made: with another one in force the login is over. */
  readonly secretHash: string
  /** Whether the key was made for this login and is revoked with it. */
  readonly ownsKey: boolean
  /** Of the password that it was made with (`Passwords.mark`): with another one in force it is over. `null`: with a key. */
  readonly passwordMark: string | null
  readonly clientId: string
  /** Unix time in ms. */
  readonly createdAt: number
}

export class Logins extends Context.Service<
  Logins,
  {
    /** By a password: a key is issued, named after the client. */
    make(options: {
      readonly signedIn: SignedIn
      readonly clientId: string
      readonly clientName: string
    }): Effect.Effect<Login, AccountNotFound | AccountClosed | TooManyKeys | EventStoreError | SqlError>
    /**
     * Who calls with tokens of the login, with the scopes that tools need; `null` once it is over: its key was revoked,
     * rotated (also while the secret before stays good elsewhere), has expired, its password was changed or removed, or the
     * login itself was ended.
     */
    caller(id: string): Effect.Effect<Caller | null, EventStoreError | SqlError>
    /** Over for good, and its key with it where it owns one. Repeated it changes nothing. */
    end(id: string): Effect.Effect<void, EventStoreError | SqlError>
  }
>()("inferlog/src/edges/oauth/Logins") {}
