/** `GET` and `POST /oauth/interaction/{uid}`: the page on which users sign in and decide what an assistant may do. */
import { Effect, Redacted, Result } from "effect"
import type { HttpServerRequest } from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as FormToken from "../FormToken.ts"
import { Interactions, type PendingAuthorization } from "../Interactions.ts"
import * as ReturnPage from "../pages/ReturnPage.ts"
import * as SignInPage from "../pages/SignInPage.ts"
import * as SignInProblem from "../pages/SignInProblem.ts"
import { type Credentials, SignIn } from "../SignIn.ts"
import * as AttemptLimit from "../AttemptLimit.ts"
import { PublicUrls } from "#src/kernel/settings/PublicUrls.ts"
import { MasterKey } from "#src/kernel/secrets/MasterKey.ts"
import * as BodyReader from "#src/edges/http/edge/BodyReader.ts"
import * as ClientAddress from "#src/edges/http/edge/ClientAddress.ts"
import * as SameOrigin from "#src/edges/http/requests/SameOrigin.ts"
import * as SignInBody from "./SignInBody.ts"
import * as PageAnswer from "./PageAnswer.ts"
import * as SignInErrors from "./SignInErrors.ts"

export const make = Effect.gen(function* () {
  const interactions = yield* Interactions
  const signIn = yield* SignIn
  const clientOf = yield* ClientAddress.make
  const { baseUrl, mcpUrl } = yield* PublicUrls
  const tokens = FormToken.make((yield* MasterKey).keyFor("oauth forms"))
  const attempts = AttemptLimit.make()

  const formOf = (pending: PendingAuthorization): SignInPage.SignInForm => ({
    asking: pending,
    token: tokens.make(pending),
    account: "",
    problem: null,
    docsUrl: `${baseUrl}/docs`
  })

  const show = Effect.fnUntraced(function* (request: HttpServerRequest, uid: string) {
    const pending = yield* interactions.pending(request, uid)
    return PageAnswer.make(200, SignInPage.render(formOf(pending)))
  })

  const submit = Effect.fnUntraced(function* (request: HttpServerRequest, uid: string) {
    const { headers } = request
    if (!SameOrigin.holds(headers, mcpUrl)) return yield* SignInErrors.foreignForm
    yield* Effect.fromResult(SignInBody.check(headers))
    const pending = yield* interactions.pending(request, uid)
    const bytes = yield* BodyReader.read(request, SignInBody.maxBytes)
    const body = yield* Effect.fromResult(SignInBody.parse(bytes))

    /** The same page, with the problem and advice. */
    const again = (problem: SignInProblem.SignInProblem, headers?: Readonly<Record<string, string>>) => {
      const form = { ...formOf(pending), account: body.account, problem }
      return PageAnswer.make(problem.status, SignInPage.render(form), headers)
    }

    if (!tokens.isOf(pending, body.token)) return again(SignInProblem.formOutdated)
    if (body.decision === "deny") {
      return sentOn(request, pending, body.decision, yield* interactions.deny(request, pending))
    }
    const credentials = credentialsOf(body)
    if (Result.isFailure(credentials)) return again(credentials.failure)
    const attempt = { credentials: credentials.success, clientAddress: clientOf(request) }
    return yield* signIn.attempt(attempt).pipe(
      attempts.of(uid),
      Effect.flatMap((signedIn) => interactions.allow(request, pending, signedIn)),
      Effect.map((address) => sentOn(request, pending, body.decision, address)),
      Effect.catchTag(SignInErrors.correctable, (error) => {
        const problem = SignInErrors.toProblem(error, credentials.success._tag)
        return Effect.succeed(again(problem, SignInErrors.headersOf(error)))
      })
    )
  })

  return {
    show: (request: HttpServerRequest, uid: string) => SignInErrors.asPages(show(request, uid)),
    submit: (request: HttpServerRequest, uid: string) => SignInErrors.asPages(submit(request, uid))
  }
})

const isEmpty = (text: Redacted.Redacted): boolean => Redacted.value(text).trim() === ""

/** A key takes precedence over a password, because browsers fill in passwords by themselves. */
const credentialsOf = ({
  account,
  apiKey,
  password
}: SignInBody.SignInBody): Result.Result<Credentials, SignInProblem.SignInProblem> => {
  if (!isEmpty(apiKey)) return Result.succeed({ _tag: "Key", text: apiKey })
  const missing = [account.trim() === "", isEmpty(password)]
  if (missing.every(Boolean)) return Result.fail(SignInProblem.nothingEntered)
  return missing.some(Boolean)
    ? Result.fail(SignInProblem.passwordMissing)
    : Result.succeed({ _tag: "Password", account, password })
}

/** Redirects with 303. A browser gets a page that redirects (`ReturnPage`). */
const sentOn = (
  { headers }: HttpServerRequest,
  { redirectUri }: PendingAuthorization,
  decision: SignInBody.SignInBody["decision"],
  address: string
): HttpServerResponse.HttpServerResponse =>
  headers["sec-fetch-mode"] === "navigate"
    ? PageAnswer.make(200, ReturnPage.render({ decision, redirectUri, address }))
    : HttpServerResponse.empty({
        status: 303,
        headers: { location: address, "cache-control": "no-store", "referrer-policy": "same-origin" }
      })
