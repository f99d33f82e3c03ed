/** Pending authorizations, which wait for a user's decision. The authorization server and its pages share them. */
import { Context, type Effect, Schema } from "effect"
import type { HttpServerRequest } from "effect/http/HttpServerRequest"
import type { SqlError } from "effect/sql/SqlError"
import type { AccountClosed, AccountNotFound } from "#src/features/accounts/Accounts.ts"
import type { TooManyKeys } from "#src/features/accounts/KeyErrors.ts"
import type { EventStoreError } from "#streams/EventReader.ts"
import type { SignedIn } from "./SignIn.ts"

/** All texts come from the client and do not prove its identity. */
export interface PendingAuthorization {
  readonly uid: string
  readonly clientId: string
  readonly clientName: string | null
  /** The address that receives the code, checked against the client's registration. */
  readonly redirectUri: string
}

/** The authorization has ended or expired, or began in another browser. */
export class InteractionGone extends Schema.TaggedError<InteractionGone>()("InteractionGone", {}) {}

export class Interactions extends Context.Service<
  Interactions,
  {
    /** The authorization with that id, if the request comes from the browser in which it began (by its cookie). */
    pending(
      request: HttpServerRequest,
      uid: string
    ): Effect.Effect<PendingAuthorization, InteractionGone | SqlError>
    /** Creates the login and returns the address to redirect the browser to, with 303. */
    allow(
      request: HttpServerRequest,
      pending: PendingAuthorization,
      signedIn: SignedIn
    ): Effect.Effect<
      string,
      InteractionGone | AccountNotFound | AccountClosed | TooManyKeys | EventStoreError | SqlError
    >
    /** Returns the address to redirect the browser to. The client gets `access_denied`. */
    deny(
      request: HttpServerRequest,
      pending: PendingAuthorization
    ): Effect.Effect<string, InteractionGone | SqlError>
  }
>()("inferlog/src/edges/oauth/Interactions") {}
