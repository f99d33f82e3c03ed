/** The endpoints that clients call directly: `POST /oauth/register`, `/oauth/token` and `/oauth/revoke`. */
import { Effect, Result } from "effect"
import type { HttpServerRequest } from "effect/http/HttpServerRequest"
import type { HttpServerResponse } from "effect/http/HttpServerResponse"
import * as JsonBytes from "#src/kernel/text/JsonBytes.ts"
import { AuthorizationServer } from "../AuthorizationServer.ts"
import * as Paths from "../Paths.ts"
import { Registrations } from "../Registrations.ts"
import { PublicUrls } from "#src/kernel/settings/PublicUrls.ts"
import * as Answer from "#src/edges/http/Answer.ts"
import * as BodyReader from "#src/edges/http/edge/BodyReader.ts"
import * as ClientAddress from "#src/edges/http/edge/ClientAddress.ts"
import * as OAuthAnswer from "./OAuthAnswer.ts"
import * as Resource from "../Resource.ts"

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
export const maxBytes = 48 * 1024

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

export const make = Effect.gen(function* () {
  const server = yield* AuthorizationServer
  const registrations = yield* Registrations
  const clientOf = yield* ClientAddress.make
  const { mcpUrl } = yield* PublicUrls

  const withBody = (
    request: HttpServerRequest,
    use: (body: Uint8Array) => Effect.Effect<Answer.Answer | HttpServerResponse>
  ): Effect.Effect<Answer.Answer | HttpServerResponse> =>
    Effect.matchEffect(BodyReader.read(request, maxBytes), {
      onFailure: (refusal) => Effect.succeed(OAuthAnswer.unread(refusal)),
      onSuccess: use
    })

  const call = ({ headers }: HttpServerRequest, target: string, body: string) => {
    const own = { authorization: headers["authorization"], "content-type": headers["content-type"] }
    const bytes = new TextEncoder().encode(body)
    return Effect.map(
      server.answer({ method: "POST", target, headers: own, body: bytes }),
      OAuthAnswer.toResponse
    )
  }

  /** Checks that the body is a form with the needed parameter. The provider checks the rest. */
  const callWithForm = (request: HttpServerRequest, { needed, read = (form) => form, target }: FormCall) =>
    withBody(request, (bytes) => {
      if (bytes.length > 0 && !isOf(form, request)) return Effect.succeed(notSaidForm)
      const sent = new TextDecoder().decode(bytes)
      // A parameter without a value counts as omitted (RFC 6749, 3.2).
      if (!new URLSearchParams(sent).get(needed)) return Effect.succeed(missing(needed))
      return call(request, target, read(sent))
    })

  const store = Effect.fnUntraced(
    function* (body: unknown, clientAddress: string) {
      const registered = yield* registrations.register({ body, clientAddress })
      return Answer.json(201, registered)
    },
    Effect.catchTags({
      MetadataRefused: ({ description, error }) =>
        Effect.succeed(OAuthAnswer.refused(400, { error, description })),
      TooManyRegistrations: ({ retryAfterSeconds }) => Effect.succeed(tooMany(retryAfterSeconds)),
      SqlError: (error) =>
        Effect.as(Effect.logError("A registration could not be stored", error), OAuthAnswer.unavailable)
    })
  )

  const register = (request: HttpServerRequest) =>
    withBody(request, (bytes) => {
      if (!isOf(json, request)) return Effect.succeed(notSaidJson)
      const sent = JsonBytes.parse(bytes)
      if (Result.isFailure(sent)) return Effect.succeed(notJson)
      return store(sent.success, clientOf(request))
    })

  return {
    register,
    token: (request: HttpServerRequest) =>
      callWithForm(request, {
        target: Paths.token,
        needed: "grant_type",
        read: (form) => normalized(form, mcpUrl)
      }),
    revoke: (request: HttpServerRequest) => callWithForm(request, { target: Paths.revoke, needed: "token" })
  }
})
