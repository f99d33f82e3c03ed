/** Passwords of accounts: they open nothing but the sign-in page of assistants, and every account is without one at first. */
import { Context, type Effect, type Redacted } from "effect"
import type { AccountId } from "#domain/Ids.ts"
import type { EventStoreError } from "#streams/EventReader.ts"
import type { AccountClosed, AccountNotFound } from "./Accounts.ts"

export class Passwords extends Context.Service<
  Passwords,
  {
    /** In force at once, in place of the one before; `null`: the account has none any more. */
    set(options: {
      readonly accountId: AccountId
      readonly password: Redacted.Redacted | null
    }): Effect.Effect<void, AccountNotFound | AccountClosed | EventStoreError>
    /**
     * Whether it is the account's. It takes as long for an account that does not exist or has none. Some 50 ms of another
     * thread: few are looked at at once.
     */
    matches(options: {
      readonly accountId: string
      readonly password: Redacted.Redacted
    }): Effect.Effect<boolean, EventStoreError>
  }
>()("inferlog/src/accounts/Passwords") {}
