/**
 * `GET /oauth/authorize`, and after the decision `GET /oauth/authorize/{uid}`: the addresses between which browsers
 * are redirected.
 */
import { Context, Effect } from "effect"
import type { HttpServerRequest } from "effect/http/HttpServerRequest"
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

export interface AuthorizeLimits extends AddressRateLimit.Rates {
  /** The most pending authorizations. A further one removes the oldest. */
  readonly authorizations: number
}

/**
 * Each call is unauthenticated, stores a record and takes some 4 ms. Together they use at most a quarter of a core,
 * and leave each user more than six minutes to sign in.
 */
export const AuthorizeLimits = Context.Reference<AuthorizeLimits>(
  "inferlog/src/edges/oauth/routes/AuthorizeLimits",
  {
    defaultValue: () => ({
      ofAddress: { requests: 60, windowSeconds: 60 },
      ofHouse: { requests: 1_200, windowSeconds: 60 },
      ofAll: { requests: 3_000, windowSeconds: 60 },
      authorizations: 20_000
    })
  }
)

const tooMany = (seconds: number) =>
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

export const make = Effect.gen(function* () {
  const server = yield* AuthorizationServer
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
    const told = new URL(location).searchParams
    const refused = {
      error: told.get("error") ?? "server_error",
      description: told.get("error_description") ?? undefined,
      withheldFrom: location
    }
    return PageAnswer.make(400, RequestRefusedPage.render(refused))
  }

  const visit = ({ headers }: HttpServerRequest, target: string) =>
    server.answer({ method: "GET", target, headers: { accept: "text/html", cookie: headers["cookie"] } })

  return {
    begin: (request: HttpServerRequest) => {
      const waitSeconds = rateLimit(clientOf(request))
      if (waitSeconds > 0) return Effect.succeed(tooMany(waitSeconds))
      const query = request.url.split("?").slice(1).join("?")
      const excess = AuthorizationParameters.tooLong(query)
      if (excess !== null) return Effect.succeed(tooLong(excess))
      const target = `${Paths.authorize}?${AuthorizationParameters.normalized(query, mcpUrl)}`
      return makeRoom.pipe(Effect.andThen(visit(request, target)), Effect.map(beforeSignIn))
    },
    resume: (request: HttpServerRequest, uid: string) =>
      Effect.map(visit(request, `${Paths.authorize}/${encodeURIComponent(uid)}`), OAuthAnswer.toResponse)
  }
})
