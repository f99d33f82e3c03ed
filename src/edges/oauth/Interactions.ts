/** Pending authorizations, which wait for a user's decision. A browser is identified by its signed cookie. */
import { Context, Effect, Layer, Schema } from "effect"
import type { HttpServerRequest } from "effect/http/HttpServerRequest"
import { isSqlError, type SqlError } from "effect/sql/SqlError"
import type { InteractionResults } from "oidc-provider"
import * as KeyedMutex from "#src/kernel/limits/KeyedMutex.ts"
import { PublicUrls } from "#src/kernel/settings/PublicUrls.ts"
import { AuthorizationServer } from "./AuthorizationServer.ts"
import { Logins } from "./Logins.ts"
import * as ClientName from "./pages/ClientName.ts"
import * as RedirectTarget from "./pages/RedirectTarget.ts"
import { resourceOf, scope } from "./Resource.ts"
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

/** The library throws when there is no interaction. Errors of the records pass through unchanged. */
const attempt = <A>(call: () => Promise<A>): Effect.Effect<A, InteractionGone | SqlError> =>
  Effect.tryPromise({ try: call, catch: (error) => error }).pipe(
    Effect.catch((error: unknown): Effect.Effect<never, InteractionGone | SqlError> => {
      if (error instanceof Error && error.name === "SessionNotFound")
        return Effect.fail(new InteractionGone())
      return isSqlError(error) ? Effect.fail(error) : Effect.die(error)
    })
  )

interface Decision {
  readonly result: InteractionResults
  /** Undoes a login whose interaction could not be stored. `Collection` ends what remains. */
  readonly undo: Effect.Effect<void>
}

const text = (value: unknown): string | null => (typeof value === "string" ? value : null)

const make = Effect.gen(function* () {
  const server = yield* AuthorizationServer
  const logins = yield* Logins
  const { mcpUrl } = yield* PublicUrls
  const inTurn = KeyedMutex.make()

  const exchangeOf = ({ headers, method, url }: HttpServerRequest) =>
    server.exchange({ method, target: url, headers: { cookie: headers["cookie"] } })

  const detailsOf = Effect.fnUntraced(function* (request: HttpServerRequest, uid: string) {
    const provider = yield* server.provider
    const exchange = exchangeOf(request)
    const details = yield* attempt(() => provider.interactionDetails(exchange.request, exchange.response))
    return details.uid === uid ? details : yield* new InteractionGone()
  })

  /** The authorization with that id, if the request comes from the browser in which it began (by its cookie). */
  const pending = Effect.fn("Interactions.pending")(function* (request: HttpServerRequest, uid: string) {
    const provider = yield* server.provider
    const { params } = yield* detailsOf(request, uid)
    const client = yield* attempt(() => provider.Client.find(text(params["client_id"]) ?? ""))
    const redirectUri = text(params["redirect_uri"])
    if (client === undefined || redirectUri === null) return yield* new InteractionGone()
    const { clientId, clientName = null } = client
    const found: PendingAuthorization = { uid, clientId, clientName, redirectUri }
    return found
  })

  /** The address to redirect the browser to. The first decision stands: another form returns the same address. */
  const decide = <E>(
    request: HttpServerRequest,
    { uid }: PendingAuthorization,
    decision: (params: Readonly<Record<string, unknown>>) => Effect.Effect<Decision, E | SqlError>
  ) =>
    Effect.gen(function* () {
      const { params, result: decided, returnTo } = yield* detailsOf(request, uid)
      if (decided !== undefined) return returnTo
      const { result, undo } = yield* decision(params)
      const provider = yield* server.provider
      const exchange = exchangeOf(request)
      return yield* attempt(() =>
        provider.interactionResult(exchange.request, exchange.response, result, {
          mergeWithLastSubmission: false
        })
      ).pipe(Effect.onError(() => undo))
    }).pipe(inTurn(uid), Effect.uninterruptible)

  /** Creates the login and returns the address to redirect the browser to, with 303. */
  const allow = Effect.fn("Interactions.allow")(
    (request: HttpServerRequest, pending: PendingAuthorization, signedIn: SignedIn) =>
      decide(
        request,
        pending,
        Effect.fnUntraced(function* (params) {
          const { clientId } = pending
          const login = yield* logins.make({
            signedIn,
            clientId,
            clientName: ClientName.shown(pending.clientName) ?? RedirectTarget.of(pending.redirectUri).shown
          })
          const provider = yield* server.provider
          const grant = new provider.Grant({ accountId: login.id, clientId })
          grant.addResourceScope(text(params["resource"]) ?? resourceOf(mcpUrl), scope)
          const end = Effect.ignore(logins.end(login.id), { log: true })
          const grantId = yield* attempt(() => grant.save()).pipe(Effect.onError(() => end))
          return {
            result: { login: { accountId: login.id, remember: false }, consent: { grantId } },
            // Removes the login and its grant.
            undo: Effect.ignore(
              attempt(() => grant.destroy()),
              { log: true }
            )
          }
        })
      )
  )

  /** Returns the address to redirect the browser to. The client gets `access_denied`. */
  const deny = Effect.fn("Interactions.deny")((request: HttpServerRequest, pending: PendingAuthorization) =>
    decide(request, pending, () =>
      Effect.succeed({
        result: { error: "access_denied", error_description: "The user declined." },
        undo: Effect.void
      })
    )
  )

  return { pending, allow, deny }
})

export class Interactions extends Context.Service<Interactions, Effect.Success<typeof make>>()(
  "inferlog/src/edges/oauth/Interactions"
) {
  static readonly layer = Layer.effect(Interactions, make)
}
