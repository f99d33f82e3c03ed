/** The routes on which operators sign in at the issuer of `OIDC_ISSUER`, in a browser. */
import { Effect, Option } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import type { HttpServerRequest } from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as DeclaredRoutes from "#src/edges/http/api/DeclaredRoutes.ts"
import * as Route from "#src/edges/http/api/Route.ts"
import { AnswersHead, anyQuery, TakesQuery } from "#src/edges/http/api/RouteAnnotations.ts"
import * as ClientAddress from "#src/edges/http/edge/ClientAddress.ts"
import { UnderWay } from "#src/edges/http/edge/Exchanges.ts"
import * as SameOrigin from "#src/edges/http/requests/SameOrigin.ts"
import * as AddressRateLimit from "#src/edges/oauth/AddressRateLimit.ts"
import { page, sentOn } from "#src/edges/oauth/routes/PageResponses.ts"
import * as Paths from "../Paths.ts"
import * as HandOff from "../HandOff.ts"
import { SingleSignOn, type Sso } from "../SingleSignOn.ts"
import * as SsoPages from "./SsoPages.ts"
import { signInRates, takeSession } from "./TakeSession.ts"

const notSetUp = page(404, "Single sign-on is not set up.")
const tooMany = page(429, "Too many sign-ins come from the address: retry after `Retry-After` seconds.")
const away = page(503, "The issuer or storage cannot be reached: retry after `Retry-After` seconds.")

const beginEndpoint = HttpApiEndpoint.get("beginOperatorSignIn", Paths.signIn, {
  success: sentOn("To the issuer."),
  error: [page(400, "The port or the challenge of a command line is not valid."), notSetUp, tooMany, away]
})
  .annotate(OpenApi.Summary, "Sign in at the issuer")
  .annotate(
    OpenApi.Description,
    "For browsers. A cookie binds the sign-in to the browser for 10 minutes. With `port` and `challenge` a command line gets the session (`inferlog login`): it waits on that port of the loopback address, and `challenge` is the SHA-256 of its secret, base64url. With `to=console` the browser goes on to the console."
  )

const callbackEndpoint = HttpApiEndpoint.get("finishOperatorSignIn", Paths.callback, {
  success: sentOn(`To \`${Paths.signedIn}\` or \`${Paths.console}\`, with the cookie of a session.`),
  error: [
    page(403, "The issuer's answer is no valid sign-in, or the claims give no role."),
    notSetUp,
    page(410, "The sign-in has ended or expired, or was begun in another browser."),
    tooMany,
    away
  ]
})
  .annotate(OpenApi.Summary, "Come back from the issuer")
  .annotate(OpenApi.Description, "The redirect URI to register at the issuer.")

const doneEndpoint = HttpApiEndpoint.get("showOperatorSession", Paths.signedIn, {
  success: page(200, "Who is signed in, and a form to sign out."),
  error: [page(401, "This browser is not signed in."), notSetUp, away]
})
  .annotate(OpenApi.Summary, "Show the session")
  .annotate(OpenApi.Description, "For browsers.")

const signOutEndpoint = HttpApiEndpoint.post("operatorSignOut", Paths.signOut, {
  success: [
    page(200, "The session has ended."),
    sentOn("To the issuer's page to sign out, if it offers one.")
  ],
  error: [page(403, "The form is of another origin."), notSetUp, away]
})
  .annotate(OpenApi.Summary, "Sign out")
  .annotate(OpenApi.Description, "Ends the session on every node. Only from pages of this origin.")

const sentTo = (location: string): HttpServerResponse.HttpServerResponse =>
  HttpServerResponse.empty({
    status: 303,
    headers: { location, "cache-control": "no-store", "referrer-policy": "no-referrer" }
  })

type Handle = (
  sso: Sso,
  request: HttpServerRequest,
  callId: string
) => Effect.Effect<HttpServerResponse.HttpServerResponse, SsoPages.Failure>

const handled = (handle: Handle) => (sso: Sso | null, request: HttpServerRequest) =>
  sso === null
    ? Effect.succeed(SsoPages.notSetUp)
    : Effect.flatMap(UnderWay, ({ correlationId }) => handle(sso, request, correlationId)).pipe(
        SsoPages.asPages
      )

const queryOf = ({ url }: HttpServerRequest): string => {
  const at = url.indexOf("?")
  return at === -1 ? "" : url.slice(at + 1)
}

const begin = handled((sso, request) => {
  const query = new URLSearchParams(queryOf(request))
  if (!query.has("port") && !query.has("challenge")) {
    return sso.begin(query.get("to") === "console" ? "console" : null, sentTo)
  }
  return Option.match(HandOff.waitingOf(query), {
    onNone: () => Effect.succeed(SsoPages.wrongWaiting),
    onSome: (waiting) => sso.begin(waiting, sentTo)
  })
})

const finish = handled((sso, request, callId) =>
  sso.finish(
    request,
    queryOf(request),
    callId,
    (place) => sentTo(`${sso.adminUrl}${place === "console" ? Paths.console : Paths.signedIn}`),
    SsoPages.handOff
  )
)

const done = handled((sso, request) =>
  sso.operatorOf(request).pipe(
    Effect.flatMap((operator) =>
      Effect.map(sso.signOutOrigin, (origin) => SsoPages.signedIn(operator, origin))
    ),
    Effect.catchTag("Unauthorized", () => Effect.succeed(SsoPages.notSignedIn))
  )
)

const signOut = handled((sso, request, callId) =>
  SameOrigin.holds(request.headers, new URL(sso.adminUrl).origin)
    ? sso.signOut(request, callId, (address) => (address === null ? SsoPages.signedOut : sentTo(address)))
    : Effect.succeed(SsoPages.foreignForm)
)

type Served = ReturnType<typeof handled>

/** One limit for the route. */
const limited = (serve: Served) =>
  Effect.gen(function* () {
    const { sso } = yield* SingleSignOn
    const addressOf = yield* ClientAddress.make
    const take = yield* AddressRateLimit.make(signInRates)
    return ({ request }: { readonly request: HttpServerRequest }) => {
      const seconds = take(addressOf(request))
      return seconds === 0 ? serve(sso, request) : Effect.succeed(SsoPages.tooMany(seconds))
    }
  })

const routes = [
  Route.prepared(beginEndpoint, limited(begin)),
  Route.prepared(callbackEndpoint, limited(finish)),
  takeSession,
  Route.prepared(doneEndpoint, limited(done)),
  Route.prepared(signOutEndpoint, limited(signOut))
] as const

export const group = HttpApiGroup.make("operatorSignIn")
  .add(...Route.endpointsOf(routes))
  .annotate(AnswersHead, false)
  .annotate(TakesQuery, anyQuery)
  .annotate(OpenApi.Title, "Single sign-on")
  .annotate(OpenApi.Description, "Pages on which operators sign in with OpenID Connect.")

export const layer = DeclaredRoutes.layer(DeclaredRoutes.everybody, routes)
