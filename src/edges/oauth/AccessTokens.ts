/** Resolves the `Authorization` header of a tool call to its caller (RFC 6750). */
import { Context, type Effect, Schema } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import type { Caller } from "#src/features/accounts/Caller.ts"
import type { EventStoreError } from "#streams/EventReader.ts"

export interface Bearer {
  /** The key of the login, limited to the scopes that tools need. */
  readonly caller: Caller
  readonly loginId: string
  readonly clientId: string
}

/** `missing`: no bearer token. `invalid`: unknown, expired, revoked, for another resource, or of an invalid key. */
export class BearerRefused extends Schema.TaggedError<BearerRefused>()("BearerRefused", {
  reason: Schema.Literals(["missing", "invalid"])
}) {}

export class AccessTokens extends Context.Service<
  AccessTokens,
  {
    authenticate(
      authorization: string | undefined
    ): Effect.Effect<Bearer, BearerRefused | EventStoreError | SqlError>
  }
>()("inferlog/src/edges/oauth/AccessTokens") {}
