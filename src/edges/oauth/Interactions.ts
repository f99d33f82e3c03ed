/** An authorization that waits for somebody to sign in and decide: what the authorization server and its pages share. */
import { Context, type Effect, Schema } from "effect"
import type { HttpServerRequest } from "effect/http/HttpServerRequest"
import type { SqlError } from "effect/sql/SqlError"
import type { AccountClosed, AccountNotFound } from "#src/features/accounts/Accounts.ts"
import type { TooManyKeys } from "#src/features/accounts/KeyErrors.ts"
import type { EventStoreError } from "#streams/EventReader.ts"
import type { SignedIn } from "./SignIn.ts"

/** Text is the client's own and proves nothing of who it is. */
export interface PendingAuthorization {
  readonly uid: string
  readonly clientId: string
  readonly clientName: string | null
  /** Where the code will be sent, checked against the client's registration. */
  readonly redirectUri: string
}

/** It has ended or expired, or was begun in another browser. */
export class InteractionGone extends Schema.TaggedError<InteractionGone>()("InteractionGone", {}) {}

export class Interactions extends Context.Service<
  Interactions,
  {
    /** The one of that id, if the request comes from the browser in which it was begun (its cookie). */
    pending(
      request: HttpServerRequest,
      uid: string
    ): Effect.Effect<PendingAuthorization, InteractionGone | SqlError>
    /** Makes the login and gives the address to send the browser to, with 303. */
    allow(
      request: HttpServerRequest,
      pending: PendingAuthorization,
      signedIn: SignedIn
    ): Effect.Effect<
      string,
      InteractionGone | AccountNotFound | AccountClosed | TooManyKeys | EventStoreError | SqlError
    >
    /** The address to send the browser to: the client is told `access_denied`. */
    deny(
      request: HttpServerRequest,
      pending: PendingAuthorization
    ): Effect.Effect<string, InteractionGone | SqlError>
  }
>()("inferlog/src/edges/oauth/Interactions") {}
