/** `POST /admin/v1/sign-in/token`: a command line takes the session that a browser handed over. */
import { Effect, Option, Schema } from "effect"
import { HttpApiEndpoint, OpenApi } from "effect/http-api"
import { Role } from "#domain/operator/Role.ts"
import * as Answer from "#src/edges/http/Answer.ts"
import * as CommonResponses from "#src/edges/http/api/CommonResponses.ts"
import * as Route from "#src/edges/http/api/Route.ts"
import * as ClientAddress from "#src/edges/http/edge/ClientAddress.ts"
import * as ErrorAnswer from "#src/edges/http/ErrorAnswer.ts"
import * as LimitErrorAnswers from "#src/edges/http/LimitErrorAnswers.ts"
import * as RequestBody from "#src/edges/http/requests/RequestBody.ts"
import * as AddressRateLimit from "#src/edges/oauth/AddressRateLimit.ts"
import * as DateTime from "#src/platform/views/DateTime.ts"
import * as Paths from "../Paths.ts"
import { SingleSignOn } from "../SingleSignOn.ts"

/** A sign-in is two calls of a route each. */
export const signInRates: AddressRateLimit.Rates = {
  ofAddress: { requests: 60, windowSeconds: 60 },
  ofHouse: { requests: 600, windowSeconds: 60 },
  ofAll: { requests: 1_200, windowSeconds: 60 }
}

/** Bytes. */
const longestBody = 16 * 1_024

const body = RequestBody.strict(
  Schema.Struct({
    code: Schema.String.check(Schema.isMaxLength(8_192)).annotate({
      description: "What the browser brought to the command line."
    }),
    verifier: Schema.String.check(Schema.isPattern(/^[A-Za-z0-9_~.-]{43,128}$/)).annotate({
      description: "The secret of the command line."
    })
  })
)

const endpoint = HttpApiEndpoint.post("takeOperatorSession", Paths.token, {
  payload: body.schema,
  success: Schema.Struct({
    key: Schema.String.annotate({ description: "Is sent as an operator's key." }),
    operatorId: Schema.String,
    name: Schema.String,
    role: Role,
    expiresAt: DateTime.DateTime
  }).annotate({ identifier: "OperatorSession", description: "The session." }),
  error: [
    ...CommonResponses.usual,
    ...CommonResponses.ofBodies,
    CommonResponses.forbidden,
    CommonResponses.notFound,
    CommonResponses.tooManyRequests
  ]
})
  .annotate(OpenApi.Summary, "Take the session for a command line")
  .annotate(
    OpenApi.Description,
    "The end of a sign-in that was begun with `port` and `challenge`. 403 with `details.code` `SIGN_IN_OVER` for a code that is too old or belongs to another secret."
  )

const over = ErrorAnswer.coded(
  403,
  "SIGN_IN_OVER",
  "This sign-in took too long, or belongs to another program."
)

const notSetUp = ErrorAnswer.notFound("Single sign-on")

const tooMany = (retryAfterSeconds: number) =>
  LimitErrorAnswers.addressExceeded(
    "Too many sign-ins come from this address.",
    signInRates.ofAddress,
    retryAfterSeconds
  )

export const takeSession = Route.prepared(
  endpoint,
  Effect.gen(function* () {
    const { sso } = yield* SingleSignOn
    const addressOf = yield* ClientAddress.make
    const take = yield* AddressRateLimit.make(signInRates)

    return Effect.fnUntraced(function* ({ request }: Route.Call<typeof endpoint>) {
      if (sso === null) return yield* notSetUp
      const seconds = take(addressOf(request))
      if (seconds > 0) return yield* tooMany(seconds)
      const { code, verifier } = yield* RequestBody.read(body, request, { limit: longestBody })
      const found = yield* sso.handedOff(code, verifier)
      if (Option.isNone(found)) return yield* over
      const { expiresAt, name, operatorId, role, token } = found.value
      return Answer.json(
        200,
        { key: token, operatorId, name, role, expiresAt: DateTime.format(expiresAt) },
        { "cache-control": "no-store" }
      )
    })
  })
)
