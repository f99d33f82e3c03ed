/** `GET /oauth/authorize`, and after the decision `GET /oauth/authorize/{uid}`: browsers are redirected between them. */
import { Context, Effect, Schema } from "effect"
import type { HttpServerRequest } from "effect/http/HttpServerRequest"
import { HttpApiEndpoint, OpenApi } from "effect/http-api"
import { AuthorizationServer } from "../AuthorizationServer.ts"
import * as AuthorizationParameters from "../AuthorizationParameters.ts"
import * as ErrorPage from "../pages/ErrorPage.ts"
import * as RedirectTarget from "../pages/RedirectTarget.ts"
import * as RequestRefusedPage from "../pages/RequestRefusedPage.ts"
import * as Paths from "../Paths.ts"
import type { Reply } from "../ProviderCall.ts"
import { PublicUrls } from "#src/kernel/settings/PublicUrls.ts"
import { Records } from "../Records.ts"
import * as RecordLimit from "../RecordLimit.ts"
import * as AddressRateLimit from "../AddressRateLimit.ts"
import * as ClientAddress from "#src/edges/http/edge/ClientAddress.ts"
import * as OAuthAnswer from "./OAuthAnswer.ts"
import * as PageAnswer from "./PageAnswer.ts"
import { page, sentOn } from "./PageResponses.ts"
import * as Route from "#src/edges/http/api/Route.ts"
import { AnswersHead } from "#src/edges/http/api/RouteAnnotations.ts"

/** The provider handles a repeated parameter. */
const parameter = (description: string) =>
  Schema.optionalKey(Schema.Union([Schema.String, Schema.Array(Schema.String)]).annotate({ description }))

const refused = page(
  400,
  "A page: the client is unknown, its redirect address is not one that it registered, a parameter is longer than 2,048 bytes, or its error would be sent to an address outside the browser's own computer."
)
const unknown = page(401, "A page: the client is unknown.")
const tooMany = page(429, "A page: too many sign-ins have begun. Retry after `Retry-After` seconds.")
const unexpected = page(500, "A page: unexpected server error.")
const unavailable = page(
  503,
  "A page: the service cannot reach its storage. Retry after `Retry-After` seconds."
)

const authorizeEndpoint = HttpApiEndpoint.get("authorize", Paths.authorize, {
  query: {
    response_type: parameter("`code`."),
    client_id: parameter("A registered client."),
    redirect_uri: parameter("A registered address; on the loopback interface with any port."),
    code_challenge: parameter("The SHA-256 of the verifier, in base64url (RFC 7636)."),
    code_challenge_method: parameter("`S256`."),
    state: parameter("Returned unchanged; at most 2,048 bytes."),
    resource: parameter("The resource in the protected-resource metadata, or none (RFC 8707)."),
    scope: parameter("Always `mcp`."),
    prompt: parameter("`none` fails with `login_required`. Other values are ignored.")
  },
  success: sentOn("To the sign-in page, or back to a client on the loopback interface with an `error`."),
  error: [refused, unknown, tooMany, unexpected, unavailable]
})
  .annotate(AnswersHead, false)
  .annotate(OpenApi.Summary, "Ask for access")
  .annotate(
    OpenApi.Description,
    "For browsers. Every authorization asks the user: `prompt=none` fails with `login_required`."
  )

const resumeEndpoint = HttpApiEndpoint.get("resumeAuthorization", `${Paths.authorize}/:uid`, {
  params: { uid: Schema.String.annotate({ description: "The id of the authorization." }) },
  success: sentOn("Back to the client, with `code` or `error`, `state` and `iss`."),
  error: [refused, unexpected, unavailable]
})
  .annotate(AnswersHead, false)
  .annotate(OpenApi.Summary, "Go back to the client")
  .annotate(
    OpenApi.Description,
    "The address to which the sign-in page redirects the browser. A cookie identifies the browser."
  )

/** Calls are unauthenticated and take 4 ms: together they use a quarter of a core, with 6 minutes for each sign-in. */
export const AuthorizeLimits = Context.Reference<
  AddressRateLimit.Rates & {
    /** The most pending authorizations. A further one removes the oldest. */
    readonly authorizations: number
  }
>("inferlog/src/edges/oauth/routes/AuthorizeLimits", {
  defaultValue: () => ({
    ofAddress: { requests: 60, windowSeconds: 60 },
    ofHouse: { requests: 1_200, windowSeconds: 60 },
    ofAll: { requests: 3_000, windowSeconds: 60 },
    authorizations: 20_000
  })
})

const tooManySignIns = (seconds: number) =>
  PageAnswer.make(
    429,
    ErrorPage.render({
      title: "Too many sign-ins",
      paragraphs: [
        "More sign-ins begin here than can be taken in. Try again in a minute, from your assistant."
      ]
    }),
    { "retry-after": String(seconds) }
  )

const tooLong = (name: string) =>
  PageAnswer.make(
    400,
    RequestRefusedPage.render({
      error: "invalid_request",
      description: `${name} must not be longer than ${AuthorizationParameters.longest} bytes`
    })
  )

const visitOf = Effect.map(
  AuthorizationServer,
  (server) =>
    ({ headers }: HttpServerRequest, target: string) =>
      server.answer({ method: "GET", target, headers: { accept: "text/html", cookie: headers["cookie"] } })
)

export const authorize = Route.prepared(
  authorizeEndpoint,
  Effect.gen(function* () {
    const visit = yield* visitOf
    const limits = yield* AuthorizeLimits
    const rateLimit = yield* AddressRateLimit.make(limits)
    const clientOf = yield* ClientAddress.make
    /** A failure here is ignored: storing the authorization then fails too and reports it. */
    const makeRoom = Effect.ignore(
      RecordLimit.make(yield* Records, { model: "Interaction", most: limits.authorizations })
    )
    const { mcpUrl } = yield* PublicUrls

    /**
     * Before a sign-in, the browser is redirected only to this server or to a program on its own computer. Otherwise a
     * self-registered client could make links here that lead anywhere (RFC 9700, 4.11.2).
     */
    const beforeSignIn = (reply: Reply) => {
      const { location } = reply.headers
      const staysHere = location === undefined || location.startsWith(`${mcpUrl}${Paths.interaction}/`)
      if (staysHere || RedirectTarget.of(location).kind === "computer") return OAuthAnswer.toResponse(reply)
      const answered = new URL(location).searchParams
      const refused = {
        error: answered.get("error") ?? "server_error",
        description: answered.get("error_description") ?? undefined,
        withheldFrom: location
      }
      return PageAnswer.make(400, RequestRefusedPage.render(refused))
    }

    return ({ request }: Route.Call<typeof authorizeEndpoint>) => {
      const waitSeconds = rateLimit(clientOf(request))
      if (waitSeconds > 0) return Effect.succeed(tooManySignIns(waitSeconds))
      const query = request.url.split("?").slice(1).join("?")
      const excess = AuthorizationParameters.tooLong(query)
      if (excess !== null) return Effect.succeed(tooLong(excess))
      const target = `${Paths.authorize}?${AuthorizationParameters.normalized(query, mcpUrl)}`
      return makeRoom.pipe(Effect.andThen(visit(request, target)), Effect.map(beforeSignIn))
    }
  })
)

export const resumeAuthorization = Route.prepared(
  resumeEndpoint,
  Effect.map(
    visitOf,
    (visit) =>
      ({ params, request }: Route.Call<typeof resumeEndpoint>) =>
        Effect.map(
          visit(request, `${Paths.authorize}/${encodeURIComponent(params.uid)}`),
          OAuthAnswer.toResponse
        )
  )
)
