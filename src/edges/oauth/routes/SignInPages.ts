/** `GET` and `POST /oauth/interaction/{uid}`: the page on which users sign in and decide what an assistant may do. */
import { Effect, Redacted, Result, Schema } from "effect"
import type { HttpServerRequest } from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import { HttpApiEndpoint, HttpApiSchema, OpenApi } from "effect/http-api"
import { Interactions, type PendingAuthorization } from "../Interactions.ts"
import * as ReturnPage from "../pages/ReturnPage.ts"
import * as SignInPage from "../pages/SignInPage.ts"
import * as SignInError from "../pages/SignInError.ts"
import { type Credentials, SignIn } from "../SignIn.ts"
import * as AttemptLimit from "../AttemptLimit.ts"
import { PublicUrls } from "#src/kernel/settings/PublicUrls.ts"
import { MasterKey } from "#src/kernel/secrets/MasterKey.ts"
import * as BodyReader from "#src/edges/http/edge/BodyReader.ts"
import * as ClientAddress from "#src/edges/http/edge/ClientAddress.ts"
import * as SameOrigin from "#src/edges/http/requests/SameOrigin.ts"
import * as PageAnswer from "./PageAnswer.ts"
import { page, sentOn } from "./PageResponses.ts"
import * as Paths from "../Paths.ts"
import * as Route from "#src/edges/http/api/Route.ts"
import * as SignInErrors from "./SignInErrors.ts"
import * as crypto from "node:crypto"
import * as SameBytes from "#src/kernel/text/SameBytes.ts"
import { isUtf8 } from "node:buffer"
import * as ErrorAnswer from "#src/edges/http/ErrorAnswer.ts"
import * as BodyHeaders from "#src/edges/http/requests/BodyHeaders.ts"
import type { RequestHeaders } from "#src/edges/http/requests/RequestHeaders.ts"

const described = (description: string) => Schema.String.annotate({ description })
const optional = (description: string) => Schema.optionalKey(described(description))

const path = `${Paths.interaction}/:uid` as const
const params = { uid: described("The id of the authorization.") }

const gone = page(
  410,
  "The authorization has ended or expired, or began in another browser: start again in the assistant."
)
const unexpected = page(500, "Unexpected server error, logged with the id that the page shows.")
const unavailable = page(503, "Storage cannot be reached: retry after `Retry-After` seconds.")

const showEndpoint = HttpApiEndpoint.get("showSignIn", path, {
  params,
  success: page(200, "Who asks for what, and a form to sign in and decide."),
  error: [gone, unexpected, unavailable]
})
  .annotate(OpenApi.Summary, "Sign in and decide")
  .annotate(
    OpenApi.Description,
    `Where \`${Paths.authorize}\` sends the browser, which is identified by the cookie set there.`
  )

const submitEndpoint = HttpApiEndpoint.post("submitSignIn", path, {
  params,
  payload: Schema.Struct({
    csrf: described("The token in the form."),
    decision: Schema.Literals(["allow", "deny"]),
    api_key: optional("To sign in with a key."),
    account: optional("To sign in with the account's password when there is no key."),
    password: optional("The account's password.")
  }).pipe(HttpApiSchema.asFormUrlEncoded()),
  success: [page(200, "For a browser: a page that redirects."), sentOn("Back to the client.")],
  error: [
    page(400, "No credentials, or an unreadable form."),
    page(403, "Wrong credentials, or a form of another page."),
    page(408, "The form did not arrive in time."),
    page(409, "The account has the most keys."),
    gone,
    page(413, "The form is larger than 16 KiB."),
    page(415, "The body is not a form."),
    page(429, "Too many sign-ins have failed: retry after `Retry-After` seconds."),
    unexpected,
    unavailable
  ]
})
  .annotate(OpenApi.Summary, "Send the form")
  .annotate(
    OpenApi.Description,
    "Only from the sign-in page: other origins are refused. Wrong credentials show the page again."
  )

/** Bytes. */
const maxBytes = 16 * 1024

interface SignInBody {
  readonly decision: "allow" | "deny"
  readonly token: string
  /** Missing fields are empty. */
  readonly apiKey: Redacted.Redacted
  readonly account: string
  readonly password: Redacted.Redacted
}

const notAForm = new ErrorAnswer.ErrorAnswer({
  status: 415,
  error: "The form must be sent as Content-Type: application/x-www-form-urlencoded."
})
const unreadable = ErrorAnswer.malformed("The form could not be read.")
const twice = ErrorAnswer.malformed("A field of the form was sent more than once.")
const undecided = ErrorAnswer.malformed("The form says neither that it allows nor that it denies.")

const urlEncoded = /^application\/x-www-form-urlencoded\s*(;\s*charset="?utf-8"?\s*)?$/i

/** Whether the headers announce such a form. */
const check = (headers: RequestHeaders): Result.Result<void, ErrorAnswer.ErrorAnswer> =>
  urlEncoded.test(headers["content-type"] ?? "")
    ? Result.flatMap(BodyHeaders.checkEncoding(headers), () => BodyHeaders.checkLength(headers, maxBytes))
    : Result.fail(notAForm)

const isDecision = (text: string): text is SignInBody["decision"] => text === "allow" || text === "deny"

const parseSignInBody = (bytes: Uint8Array): Result.Result<SignInBody, ErrorAnswer.ErrorAnswer> => {
  if (!isUtf8(bytes)) return Result.fail(unreadable)
  const fields = new URLSearchParams(Buffer.from(bytes).toString())
  if (new Set(fields.keys()).size !== fields.size) return Result.fail(twice)
  const field = (name: string): string => fields.get(name) ?? ""
  const decision = field("decision")
  if (!isDecision(decision)) return Result.fail(undecided)
  return Result.succeed({
    decision,
    token: field("csrf"),
    apiKey: Redacted.make(field("api_key")),
    account: field("account"),
    password: Redacted.make(field("password"))
  })
}

/**
 * A token that proves that this server made a form for the authorization (OWASP, "Signed double-submit").
 *
 * @param key used for this purpose only.
 */
const makeFormToken = (key: Buffer) => {
  const mac = ({ clientId, redirectUri, uid }: PendingAuthorization): Buffer =>
    crypto
      .createHmac("sha256", key)
      .update(JSON.stringify([uid, clientId, redirectUri]))
      .digest()
  return {
    make: (pending: PendingAuthorization) => mac(pending).toString("base64url"),
    /** Compares in constant time. */
    isOf: (pending: PendingAuthorization, token: string) =>
      SameBytes.isSame(Buffer.from(token, "base64url"), mac(pending))
  }
}

const formsOf = Effect.gen(function* () {
  const { baseUrl } = yield* PublicUrls
  const tokens = makeFormToken((yield* MasterKey).keyFor("oauth forms"))
  const formOf = (pending: PendingAuthorization): SignInPage.SignInForm => ({
    asking: pending,
    token: tokens.make(pending),
    account: "",
    error: null,
    docsUrl: `${baseUrl}/docs`
  })
  return { formOf, isOf: tokens.isOf }
})

export const showSignIn = Route.prepared(
  showEndpoint,
  Effect.gen(function* () {
    const interactions = yield* Interactions
    const { formOf } = yield* formsOf
    return Effect.fnUntraced(function* ({ params, request }: Route.Call<typeof showEndpoint>) {
      const pending = yield* interactions.pending(request, params.uid)
      return PageAnswer.make(200, SignInPage.render(formOf(pending)))
    }, SignInErrors.asPages)
  })
)

export const submitSignIn = Route.prepared(
  submitEndpoint,
  Effect.gen(function* () {
    const interactions = yield* Interactions
    const signIn = yield* SignIn
    const clientOf = yield* ClientAddress.make
    const { mcpUrl } = yield* PublicUrls
    const { formOf, isOf } = yield* formsOf
    const limited = AttemptLimit.make()

    return Effect.fnUntraced(function* ({ params: { uid }, request }: Route.Call<typeof submitEndpoint>) {
      const { headers } = request
      if (!SameOrigin.holds(headers, mcpUrl)) return yield* SignInErrors.foreignForm
      yield* Effect.fromResult(check(headers))
      const pending = yield* interactions.pending(request, uid)
      const bytes = yield* BodyReader.read(request, maxBytes)
      const body = yield* Effect.fromResult(parseSignInBody(bytes))

      /** The same page, with the error and advice. */
      const again = (error: SignInError.SignInError, headers?: Readonly<Record<string, string>>) => {
        const form = { ...formOf(pending), account: body.account, error }
        return PageAnswer.make(error.status, SignInPage.render(form), headers)
      }

      if (!isOf(pending, body.token)) return again(SignInError.formOutdated)
      if (body.decision === "deny") {
        return redirect(request, pending, body.decision, yield* interactions.deny(request, pending))
      }
      const credentials = credentialsOf(body)
      if (Result.isFailure(credentials)) return again(credentials.failure)
      return yield* signIn.attempt(credentials.success, clientOf(request)).pipe(
        limited(uid),
        Effect.flatMap((signedIn) => interactions.allow(request, pending, signedIn)),
        Effect.map((address) => redirect(request, pending, body.decision, address)),
        Effect.catchTag(SignInErrors.correctable, (error) => {
          const shown = SignInErrors.toSignInError(error, credentials.success._tag)
          return Effect.succeed(again(shown, SignInErrors.headersOf(error)))
        })
      )
    }, SignInErrors.asPages)
  })
)

const isEmpty = (text: Redacted.Redacted): boolean => Redacted.value(text).trim() === ""

/** A key takes precedence over a password, because browsers fill in passwords by themselves. */
const credentialsOf = ({
  account,
  apiKey,
  password
}: SignInBody): Result.Result<Credentials, SignInError.SignInError> => {
  if (!isEmpty(apiKey)) return Result.succeed({ _tag: "Key", text: apiKey })
  const missing = [account.trim() === "", isEmpty(password)]
  if (missing.every(Boolean)) return Result.fail(SignInError.nothingEntered)
  return missing.some(Boolean)
    ? Result.fail(SignInError.passwordMissing)
    : Result.succeed({ _tag: "Password", account, password })
}

/** Redirects with 303. A browser gets a page that redirects (`ReturnPage`). */
const redirect = (
  { headers }: HttpServerRequest,
  { redirectUri }: PendingAuthorization,
  decision: SignInBody["decision"],
  address: string
): HttpServerResponse.HttpServerResponse =>
  headers["sec-fetch-mode"] === "navigate"
    ? PageAnswer.make(200, ReturnPage.render({ decision, redirectUri, address }))
    : HttpServerResponse.empty({
        status: 303,
        headers: { location: address, "cache-control": "no-store", "referrer-policy": "same-origin" }
      })
