/** `Authorization: Key <OPERATOR_KEY>`, checked before the rest of a call. */
import { Clock, Effect } from "effect"
import { HttpApiMiddleware, HttpApiSecurity, OpenApi } from "effect/http-api"
import type { HttpServerRequest } from "effect/http/HttpServerRequest"
import type * as Answer from "#src/edges/http/Answer.ts"
import * as CommonResponses from "#src/edges/http/api/CommonResponses.ts"
import type { Admit } from "#src/edges/http/api/DeclaredRoutes.ts"
import * as ClientAddress from "#src/edges/http/edge/ClientAddress.ts"
import * as SameOrigin from "#src/edges/http/requests/SameOrigin.ts"
import { SingleSignOn, type Sso } from "#src/edges/sso/SingleSignOn.ts"
import * as ErrorAnswer from "#src/edges/http/ErrorAnswer.ts"
import * as LimitErrorAnswers from "#src/edges/http/LimitErrorAnswers.ts"
import { type Operator, ofSocket } from "#src/features/operators/Operator.ts"
import { OperatorAuthentication } from "#src/features/operators/OperatorAuthentication.ts"
import * as TokenBuckets from "#src/kernel/limits/TokenBuckets.ts"
import { version } from "#src/kernel/program/ReleaseVersion.ts"
import * as MonotonicTime from "#src/kernel/time/MonotonicTime.ts"
import { releaseHeader } from "./ReleaseHeader.ts"

const operatorKey = HttpApiSecurity.apiKey({ key: "Authorization", in: "header" }).pipe(
  HttpApiSecurity.annotate(
    OpenApi.Description,
    "`Key <OPERATOR_KEY>`: the scheme word `Key`, a space, then a key of `inferlog operators create`. `Bearer` is taken as well."
  )
)

/** Declares the security scheme and its answers. `admit` implements it. */
export class OperatorAuthorization extends HttpApiMiddleware.Service<OperatorAuthorization>()(
  "inferlog/src/edges/admin/OperatorAuthorization",
  {
    security: { operatorKey },
    error: [CommonResponses.unauthorized, CommonResponses.forbidden, CommonResponses.tooManyRequests]
  }
) {}

const headers: Answer.Headers = { [releaseHeader]: version }

const unauthorized = new ErrorAnswer.ErrorAnswer({
  status: 401,
  error: "A valid operator key is required: Authorization: Key <OPERATOR_KEY>.",
  headers: { "www-authenticate": "Key" }
})

/** Wrong keys from one network. */
const wrongTries = { requests: 10, windowSeconds: 60 }

const networks = 10_000

const tooMany = (retryAfterSeconds: number) =>
  LimitErrorAnswers.addressExceeded(
    "Too many wrong operator keys come from this address.",
    wrongTries,
    retryAfterSeconds
  )

const foreign = ErrorAnswer.coded(
  403,
  "FOREIGN_ORIGIN",
  "A call with the cookie of a session must come from a page of this origin."
)

/** Browsers send cookies with calls of other sites' pages too, and `Origin` with every call that is not a GET. */
const fromOwnPages = ({ cookies, headers, method }: HttpServerRequest, sso: Sso) => {
  const { origin } = new URL(sso.adminUrl)
  const isSafe = method === "GET" || method === "HEAD" || !sso.hasSession(cookies)
  return isSafe || (headers["origin"] === origin && SameOrigin.holds(headers, origin))
    ? Effect.void
    : Effect.fail(foreign)
}

/**
 * Finds the operator of a request: by its key, or without one by the cookie of a session of single sign-on. A valid key is
 * admitted even while wrong ones from its address are refused with 429, so that others behind the same proxy cannot lock an
 * operator out.
 */
export const admit = Effect.gen(function* () {
  const { authenticate } = yield* OperatorAuthentication
  const { sso } = yield* SingleSignOn
  const addressOf = yield* ClientAddress.make
  const clock = yield* Clock.Clock
  const buckets = TokenBuckets.make(networks)

  const refusal = (request: HttpServerRequest): ErrorAnswer.ErrorAnswer => {
    // Nothing was tried.
    if (request.headers["authorization"] === undefined) return unauthorized
    const network = ClientAddress.networkOf(addressOf(request))
    const bucket = buckets(network, wrongTries, MonotonicTime.millisOf(clock))
    const waitSeconds = TokenBuckets.takeOfAll([bucket])
    return waitSeconds === 0 ? unauthorized : tooMany(waitSeconds)
  }

  const operatorOf = (request: HttpServerRequest) => {
    const header = request.headers["authorization"]
    if (sso === null) return authenticate(header)
    return header === undefined
      ? Effect.andThen(fromOwnPages(request, sso), sso.operatorOf(request))
      : (sso.operatorOfKey(header) ?? authenticate(header))
  }

  const admit: Admit<Operator> = () => (request) =>
    Effect.matchEffect(operatorOf(request), {
      onSuccess: (caller) => Effect.succeed({ caller, headers }),
      onFailure: (error) => Effect.fail(error._tag === "Unauthorized" ? refusal(request) : error)
    })
  return admit
})

/** On the socket, which only the owner of the data directory can open. */
export const admitOwner: Effect.Effect<Admit<Operator>> = Effect.succeed(
  () => () => Effect.succeed({ caller: ofSocket, headers })
)
