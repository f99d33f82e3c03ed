/** The endpoints that clients call directly: `POST /oauth/register`, `/oauth/token` and `/oauth/revoke`. */
import { Effect, Result, Schema } from "effect"
import type { HttpServerRequest } from "effect/http/HttpServerRequest"
import type { HttpServerResponse } from "effect/http/HttpServerResponse"
import { HttpApiEndpoint, HttpApiSchema, OpenApi } from "effect/http-api"
import * as JsonBytes from "#src/kernel/text/JsonBytes.ts"
import { AuthorizationServer } from "../AuthorizationServer.ts"
import * as Paths from "../Paths.ts"
import { Registrations } from "../Registrations.ts"
import { PublicUrls } from "#src/kernel/settings/PublicUrls.ts"
import * as Answer from "#src/edges/http/Answer.ts"
import * as BodyReader from "#src/edges/http/edge/BodyReader.ts"
import * as ClientAddress from "#src/edges/http/edge/ClientAddress.ts"
import * as OAuthAnswer from "./OAuthAnswer.ts"
import * as OAuthView from "../OAuthView.ts"
import * as Resource from "../Resource.ts"
import * as Route from "#src/edges/http/api/Route.ts"

/**
 * Unknown parameters are kept, and the provider ignores them. There is only one scope, which a refresh gets whatever
 * it requests.
 *
 * @param body a form.
 */
const normalized = (body: string, mcpUrl: string): string => {
  const params = new URLSearchParams(body)
  params.delete("scope")
  Resource.rename(params, mcpUrl)
  return params.toString()
}

/** Bytes. */
const maxBytes = 48 * 1024

const declared = (status: number, description: string) =>
  OAuthView.ErrorBody.annotate({ identifier: `OAuthError${status}`, description }).pipe(
    HttpApiSchema.status(status)
  )

const invalid = declared(400, "The request is refused; `error` has the reason.")
const unauthenticated = declared(401, "The client is unknown, or its secret is wrong (`invalid_client`).")
const timeout = declared(408, "The body did not arrive in time.")
const tooLarge = declared(413, `The body is larger than ${maxBytes} bytes.`)
const retryAfter = { "retry-after": Schema.String.annotate({ description: "Seconds." }) }

const tooManyCalls = HttpApiSchema.WithHeaders(
  declared(
    429,
    "Too many clients are registering, or one sign-in gets new tokens too often: retry after `Retry-After` seconds."
  ),
  retryAfter
)
const unavailable = HttpApiSchema.WithHeaders(
  declared(
    503,
    "The service cannot reach its storage (`temporarily_unavailable`), and nothing has changed for the client: retry after `Retry-After` seconds."
  ),
  retryAfter
)
const failed = declared(
  500,
  "Unexpected server error (`server_error`), logged with the `x-request-id` of the answer."
)

const registerEndpoint = HttpApiEndpoint.post("registerClient", Paths.register, {
  payload: OAuthView.RegistrationPayload,
  success: OAuthView.RegisteredBody.pipe(HttpApiSchema.status(201)),
  error: [invalid, timeout, tooLarge, tooManyCalls, failed, unavailable]
})
  .annotate(OpenApi.Summary, "Register a client")
  .annotate(
    OpenApi.Description,
    "RFC 7591, open to everyone. A client without a sign-in is deleted after a day, any other one 180 days after its last use."
  )

const tokenEndpoint = HttpApiEndpoint.post("getToken", Paths.token, {
  payload: OAuthView.TokenPayload.pipe(HttpApiSchema.asFormUrlEncoded()),
  success: OAuthView.TokenBody,
  error: [invalid, unauthenticated, timeout, tooLarge, tooManyCalls, failed, unavailable]
})
  .annotate(OpenApi.Summary, "Get tokens")
  .annotate(
    OpenApi.Description,
    "For a code, or for a refresh token, which is replaced each time. `invalid_grant`: the user has to sign in again, because the key behind the sign-in was revoked, rotated or has expired, or because the code or refresh token was already used."
  )

const revokeEndpoint = HttpApiEndpoint.post("revokeToken", Paths.revoke, {
  payload: OAuthView.RevocationPayload.pipe(HttpApiSchema.asFormUrlEncoded()),
  success: HttpApiSchema.Empty(200).annotate({ description: "The token is not valid (any more)." }),
  error: [invalid, unauthenticated, timeout, tooLarge, failed, unavailable]
})
  .annotate(OpenApi.Summary, "Give a token back")
  .annotate(OpenApi.Description, "RFC 7009. Revoking a refresh token revokes all tokens of its sign-in.")

const json = "application/json"
const form = "application/x-www-form-urlencoded"

const invalidMetadata = (description: string) =>
  OAuthAnswer.refused(400, { error: "invalid_client_metadata", description })

const notSaidJson = invalidMetadata(`The Content-Type must be ${json}.`)
const notJson = invalidMetadata("The request body must be a JSON object in UTF-8.")

const invalidRequest = (description: string) =>
  OAuthAnswer.refused(400, { error: "invalid_request", description })

const notSaidForm = invalidRequest(`The Content-Type must be ${form}.`)
const missing = (parameter: string) => invalidRequest(`The parameter ${parameter} is missing.`)

const isOf = (mediaType: string, { headers }: HttpServerRequest): boolean =>
  headers["content-type"]?.split(";", 1)[0]?.trim().toLowerCase() === mediaType

const tooMany = (seconds: number) =>
  OAuthAnswer.refused(
    429,
    { error: "temporarily_unavailable", description: "Too many clients are registering. Try again later." },
    { "retry-after": String(seconds) }
  )

interface FormCall {
  readonly target: string
  /** A parameter without which the provider is not called. */
  readonly needed: string
  /** Converts the received form to the form for the provider. */
  readonly read?: (form: string) => string
}

type Answered = Effect.Effect<Answer.Answer | HttpServerResponse>

const withBody = (request: HttpServerRequest, use: (body: Uint8Array) => Answered): Answered =>
  Effect.matchEffect(BodyReader.read(request, maxBytes), {
    onFailure: (errorAnswer) => Effect.succeed(OAuthAnswer.unread(errorAnswer)),
    onSuccess: use
  })

/** Passes a form with the needed parameter to the provider, which checks the rest. */
const formCalls = Effect.map(AuthorizationServer, (server) => {
  const call = ({ headers }: HttpServerRequest, target: string, body: string) => {
    const own = { authorization: headers["authorization"], "content-type": headers["content-type"] }
    const bytes = new TextEncoder().encode(body)
    return Effect.map(
      server.answer({ method: "POST", target, headers: own, body: bytes }),
      OAuthAnswer.toResponse
    )
  }
  return (request: HttpServerRequest, { needed, read = (form) => form, target }: FormCall): Answered =>
    withBody(request, (bytes) => {
      if (bytes.length > 0 && !isOf(form, request)) return Effect.succeed(notSaidForm)
      const sent = new TextDecoder().decode(bytes)
      // A parameter without a value counts as omitted (RFC 6749, 3.2).
      if (!new URLSearchParams(sent).get(needed)) return Effect.succeed(missing(needed))
      return call(request, target, read(sent))
    })
})

export const registerClient = Route.prepared(
  registerEndpoint,
  Effect.gen(function* () {
    const registrations = yield* Registrations
    const clientOf = yield* ClientAddress.make

    const store = Effect.fnUntraced(
      function* (body: unknown, clientAddress: string) {
        return Answer.json(201, yield* registrations.register(body, clientAddress))
      },
      Effect.catchTags({
        MetadataRefused: ({ description, error }) =>
          Effect.succeed(OAuthAnswer.refused(400, { error, description })),
        TooManyRegistrations: ({ retryAfterSeconds }) => Effect.succeed(tooMany(retryAfterSeconds)),
        SqlError: (error) =>
          Effect.as(Effect.logError("A registration could not be stored", error), OAuthAnswer.unavailable)
      })
    )

    return ({ request }: Route.Call<typeof registerEndpoint>) =>
      withBody(request, (bytes) => {
        if (!isOf(json, request)) return Effect.succeed(notSaidJson)
        const sent = JsonBytes.parse(bytes)
        if (Result.isFailure(sent)) return Effect.succeed(notJson)
        return store(sent.success, clientOf(request))
      })
  })
)

export const getToken = Route.prepared(
  tokenEndpoint,
  Effect.gen(function* () {
    const callWithForm = yield* formCalls
    const { mcpUrl } = yield* PublicUrls
    return ({ request }: Route.Call<typeof tokenEndpoint>) =>
      callWithForm(request, {
        target: Paths.token,
        needed: "grant_type",
        read: (form) => normalized(form, mcpUrl)
      })
  })
)

export const revokeToken = Route.prepared(
  revokeEndpoint,
  Effect.map(
    formCalls,
    (callWithForm) =>
      ({ request }: Route.Call<typeof revokeEndpoint>) =>
        callWithForm(request, { target: Paths.revoke, needed: "token" })
  )
)
