/** `POST /console/session`: signs in with a key or a password. */
import { Clock, Effect, Redacted, Schema } from "effect"
import { HttpApiEndpoint, OpenApi } from "effect/http-api"
import * as CommonResponses from "#src/edges/http/api/CommonResponses.ts"
import type * as Route from "#src/edges/http/api/Route.ts"
import type * as ClientAddress from "#src/edges/http/edge/ClientAddress.ts"
import { UnderWay } from "#src/edges/http/edge/Exchanges.ts"
import * as ErrorAnswer from "#src/edges/http/ErrorAnswer.ts"
import * as LimitErrorAnswers from "#src/edges/http/LimitErrorAnswers.ts"
import * as Parsed from "#src/edges/http/requests/Parsed.ts"
import * as RequestBody from "#src/edges/http/requests/RequestBody.ts"
import { type Credentials, ofAddress } from "#src/edges/oauth/SignIn.ts"
import * as Browser from "./Browser.ts"
import type { Desk } from "./Desk.ts"
import { type Call, isOperatorKey } from "./OperatorHolder.ts"
import * as Paths from "./Paths.ts"
import { SessionBody } from "./SessionViews.ts"

/** Bytes. */
const longestBody = 16 * 1_024

const text = Schema.optionalKey(Schema.String.check(Schema.isMaxLength(1_000)))

const body = RequestBody.strict(
  Schema.Struct({
    api_key: text.annotate({ description: "The key of an account, or of an operator." }),
    account: text.annotate({ description: "`acc_…`, with `password`." }),
    password: text
  }).annotate({
    identifier: "ConsoleSignIn",
    description: "A key, or an account and its password.",
    examples: [{ api_key: "<API_KEY>" }, { account: "acc_0123456789abcdef", password: "…" }]
  })
)

export const endpoint = HttpApiEndpoint.post("openConsoleSession", Paths.session, {
  payload: body.schema,
  success: SessionBody,
  error: [
    ...CommonResponses.usual,
    ...CommonResponses.ofBodies,
    CommonResponses.unauthorized,
    CommonResponses.forbidden,
    CommonResponses.conflict,
    CommonResponses.tooManyRequests
  ]
})
  .annotate(OpenApi.Summary, "Sign in")
  .annotate(
    OpenApi.Description,
    "Sets the cookie of a session, which acts under the key: it may do what the key may, and ends when the key is revoked, rotated or expires, or the password changes. An account and an operator may be signed in at once. Refusals have `details.code` `SIGN_IN_REFUSED`, or `NOT_SERVED_HERE` where administration has a port of its own."
  )

const keyRefused = ErrorAnswer.coded(
  401,
  "SIGN_IN_REFUSED",
  "This key is not valid: it may be incomplete, revoked, rotated or expired."
)

const passwordRefused = ErrorAnswer.coded(
  401,
  "SIGN_IN_REFUSED",
  "There is no account with this id and password."
)

const noOperators = ErrorAnswer.coded(
  403,
  "NOT_SERVED_HERE",
  "Operators sign in at the address of administration, which has a port of its own here."
)

const noAccounts = ErrorAnswer.coded(
  403,
  "NOT_SERVED_HERE",
  "Only operators sign in here: accounts sign in at the address of the API."
)

const tooMany = (retryAfterSeconds: number) =>
  LimitErrorAnswers.addressExceeded("Too many sign-ins have failed.", ofAddress, retryAfterSeconds)

const incomplete = ErrorAnswer.invalid([
  Parsed.issue(["api_key"], "required", "must be given, or an account and its password")
])

const credentialsOf = ({ account, api_key, password }: (typeof body.schema)["Type"]): Credentials | null => {
  if (api_key !== undefined) {
    return account === undefined && password === undefined
      ? { _tag: "Key", text: Redacted.make(api_key) }
      : null
  }
  return account === undefined || password === undefined
    ? null
    : { _tag: "Password", account, password: Redacted.make(password) }
}

/** Signs the account or the operator in. */
const opening = Effect.fnUntraced(function* (
  { account, operator }: Desk,
  credentials: Credentials,
  call: Call
) {
  if (credentials._tag === "Key" && isOperatorKey(Redacted.value(credentials.text))) {
    if (operator === null) return yield* noOperators
    return { kind: "operator" as const, ...(yield* operator.open(credentials.text, call)) }
  }
  if (account === null) return yield* noAccounts
  return { kind: "account" as const, ...(yield* account.open(credentials, call)) }
})

export const handle = Effect.fnUntraced(function* (
  desk: Desk,
  addressOf: Effect.Success<typeof ClientAddress.make>,
  { request }: Route.Call<typeof endpoint>
) {
  yield* desk.own(request)
  const credentials = credentialsOf(yield* RequestBody.read(body, request, { limit: longestBody }))
  if (credentials === null) return yield* incomplete
  const { correlationId: callId } = yield* UnderWay
  const call = {
    address: addressOf(request),
    browser: Browser.describe(request.headers["user-agent"]),
    callId
  }
  const refused = credentials._tag === "Key" ? keyRefused : passwordRefused
  const { kind, session, token } = yield* opening(desk, credentials, call).pipe(
    Effect.catchTags({
      SignInRefused: () => Effect.fail(refused),
      TooManySignIns: ({ retryAfterSeconds }) => Effect.fail(tooMany(retryAfterSeconds)),
      AccountNotFound: () => Effect.fail(refused),
      AccountClosed: () => Effect.fail(refused),
      TooManyKeys: ({ limit }) => Effect.fail(ErrorAnswer.tooManyKeys(limit))
    })
  )
  const { cookies } = desk
  // As the browser would come back with its new cookie.
  const now = yield* desk.signed({
    ...request,
    cookies: { ...request.cookies, [cookies.nameOf(kind)]: Redacted.value(token) }
  })
  const lifeMs = session.expiresAt - (yield* Clock.currentTimeMillis)
  return cookies.with(yield* desk.answer(now), kind, token, lifeMs)
})
