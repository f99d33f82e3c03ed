/** Whoever fills in the form that an assistant has led to: with an API key, or with the account's password. */
import { Context, type Effect, type Redacted, Schema } from "effect"
import type { AccountId } from "#domain/Ids.ts"
import type * as ApiKey from "#src/accounts/ApiKey.ts"
import type { Caller } from "#src/accounts/Caller.ts"
import type { EventStoreError } from "#streams/EventReader.ts"

export type Credentials =
  | { readonly _tag: "Key"; readonly text: Redacted.Redacted }
  | { readonly _tag: "Password"; readonly account: string; readonly password: Redacted.Redacted }

/** By a key: the sign-in lasts no longer than that. By a password: it gets a key of its own when it is allowed. */
export type SignedIn =
  | { readonly _tag: "ByKey"; readonly presented: ApiKey.Presented; readonly caller: Caller }
  | { readonly _tag: "ByPassword"; readonly accountId: AccountId }

/** Of an unknown account, a wrong password and a key that is none: told apart for nobody. */
export class SignInRefused extends Schema.TaggedError<SignInRefused>()("SignInRefused", {}) {}

/** The key opens nothing that a tool needs (`ToolScopes`). */
export class NothingGranted extends Schema.TaggedError<NothingGranted>()("NothingGranted", {}) {}

/** Too many have failed, from this address, for this account or in all. */
export class TooManySignIns extends Schema.TaggedError<TooManySignIns>()("TooManySignIns", {
  retryAfterSeconds: Schema.Int
}) {}

export class SignIn extends Context.Service<
  SignIn,
  {
    /** @param remoteAddress of the socket, `""` when unknown. */
    attempt(options: {
      readonly credentials: Credentials
      readonly remoteAddress: string
    }): Effect.Effect<SignedIn, SignInRefused | NothingGranted | TooManySignIns | EventStoreError>
  }
>()("inferlog/src/oauth/SignIn") {}
